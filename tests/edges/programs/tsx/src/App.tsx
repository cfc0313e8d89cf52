import * as React from "react";
import { Button as Btn, Card, Title, Forms, Row } from "./ui";
import * as UI from "./ui";
import { useCounter, useStore } from "./hooks";
import { Store } from "./store";
const Lazy = React.lazy(() => import("./ui/forms"));
const Ctx = React.createContext<Store | null>(null);

interface Props { store: Store; onClose(): void; Extra: React.ComponentType }

export class App extends React.Component<Props> {
  private store: Store = new Store();
  private input = React.createRef<HTMLInputElement>();
  handle = () => { this.store.emit(); this.close(); };
  close() { this.props.onClose(); this.props.store.emit(); }
  renderRow(x: string) { return <Title text={x} />; }
  render() {
    const { Extra, store } = this.props;
    store.emit();
    return (
      <Ctx.Provider value={store}>
        <Main />
        <Extra />
        <Btn label="a" onPress={this.handle} />
        <UI.Card title="t" render={this.renderRow} Slot={Footer} />
        <Forms.Input />
        <UI.Forms.Form />
        {this.renderRow("x")}
        <Row items={[1]}>{(n) => <Footer />}</Row>
      </Ctx.Provider>
    );
  }
}

function Main() {
  const { count, increment } = useCounter(1);
  const store = useStore();
  store.subscribe(() => increment());
  store.subscribe(increment).emit();
  store.latest.open();
  Store.shared.emit();
  const ctx = React.useContext(Ctx);
  ctx?.emit();
  const rows = React.useMemo(() => build(count), [count]);
  const Dynamic = count > 1 ? Footer : Main;
  return <Dynamic />;
}

function build(n: number) { return n; }
const Footer = () => <footer><Lazy /></footer>;

export default App;

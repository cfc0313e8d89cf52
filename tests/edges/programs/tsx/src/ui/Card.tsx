import { memo } from "react";
import Button, { Icon } from "./Button";

function CardInner(props: { title: string; render: (x: string) => JSX.Element; Slot: () => JSX.Element }) {
  const { render, Slot } = props;
  return (
    <div>
      <Icon name="x" />
      {render(props.title)}
      {props.render("b")}
      <Slot />
      <props.Slot />
      <Button label="ok" onPress={props.toString} />
    </div>
  );
}

export const Card = memo(CardInner);

export const Title: React.FC<{ text: string }> = ({ text }) => <h1>{text}</h1>;

export const Compound = Object.assign(CardInner, { Title });

export function Row<T>({ items, children }: { items: T[]; children: (item: T) => JSX.Element }) {
  return <>{items.map((item) => children(item))}</>;
}

import { useId } from "react";

export interface ButtonProps {
  label: string;
  onPress?: () => void;
}

export default function Button({ label, onPress }: ButtonProps) {
  const id = useId();
  const handle = () => {
    onPress?.();
    track(id);
  };
  return <button id={id} onClick={handle}>{label}</button>;
}

function track(id: string): void {}

export const Icon = ({ name }: { name: string }) => <i>{name}</i>;
export class Panel {
  static Header = (props: { title: string }) => <h1>{props.title}</h1>;
  draw() { return <Panel.Header title="x" />; }
}

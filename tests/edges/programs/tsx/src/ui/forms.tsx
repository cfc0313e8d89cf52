export function Input() { return <input />; }
export function Form({ children }: { children?: unknown }) { return <form><Input /></form>; }

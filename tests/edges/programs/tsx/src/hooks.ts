import { useState, useEffect } from "react";
import { Store } from "./store";

export function useCounter(start = 0) {
  const [count, setCount] = useState(start);
  const increment = () => setCount(count + 1);
  useEffect(() => { log("x"); increment(); }, [count]);
  return { count, increment };
}
export const useStore = (): Store => new Store();
function log(text: string) {}

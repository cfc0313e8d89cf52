export { default as Button, Icon } from "./Button";
export * from "./Card";
export * as Forms from "./forms";

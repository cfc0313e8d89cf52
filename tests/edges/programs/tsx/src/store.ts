export class Store {
  private listeners: Array<() => void> = [];
  static shared = new Store();
  subscribe(listener: () => void): this { this.listeners.push(listener); this.emit(); return this; }
  emit(): void { for (const l of this.listeners) l(); }
  get latest(): Item { return new Item(); }
}
export class Item { open(): void {} }

/** A line of a receipt. */
export interface Line {
  name: string;
  amount: number;
}

/** Print a receipt for the customer, one line an article. */
export function printReceipt(lines: Line[]): string {
  return lines.map((line) => formatLine(line)).join("\n");
}

/** A name and an amount with two digits. */
function formatLine(line: Line): string {
  return `${line.name}: ${line.amount.toFixed(2)}`;
}

// What the scripts of the pages share: `static/shared.js` makes it, the others add to it.

interface Infralens {
  $(selector: string, from?: ParentNode): any;
  $$(selector: string, from?: ParentNode): any[];
  copy(text: string): Promise<boolean>;
  fill(words: string, values: Record<string, unknown>): string;
  storage: {
    read(key: string): string | null | undefined;
    write(key: string, text: string | null): boolean;
    clear(prefix: string): void;
  };
  keys(): boolean;
  /** The title and labels, which the build writes into `page.js`. */
  words: Record<string, string>;
  calc?: any;
  stack?(figure: any, stack: any, calculator: any): { choose(target: any): void; show(names: any): void };
  orders: Record<string, [url: string, name: string, minutes: number, was?: string[]][]>;
  store?: any;
  /** Opens a note, and also puts it into the address. */
  lens?: { activate(note: any): void; choose(note: any): void };
  practice?: any;
  search?(query?: string): void;
  terms?(text: string): string[];
  key?(name: string): string;
  take?(name: string, data: unknown): void;
}

interface Window {
  infralens: Infralens;
}

// The type of an event does not say that its target is an element.
interface EventTarget {
  checked?: any;
  closest?: any;
  files?: any;
  matches?: any;
  value?: any;
}

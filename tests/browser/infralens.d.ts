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
  /** Shows the colors that the reader has chosen, and whether single keys do something. */
  restore(): void;
  /** The key that was pressed: its letter, or where that is of another script, that of its place. */
  keyOf(event: { key?: string; code?: string }): string;
  /** The title and labels, which the build writes into `page.js`. */
  words: Record<string, any>;
  /** What a single key stands for in the list of shortcuts, unless the reader has switched them off. */
  actionOf(event: { key?: string; code?: string; ctrlKey?: boolean; metaKey?: boolean; altKey?: boolean }): string | false | undefined;
  /** Shows the list of shortcuts: from `site.js`, which loads it, and from `seldom.js`. */
  help?(): Promise<void>;
  shortcuts?(): void;
  /** Where something can be said. */
  status?: HTMLElement;
  /** Why a file could not be loaded. */
  why?(url: string, text: string): Promise<string>;
  calc?: any;
  stack?(figure: any, stack: any, calculator: any): { choose(target: any): void; show(names: any): void };
  orders: Record<string, [url: string, name: string, minutes: number, was?: string[]][]>;
  store?: any;
  /** Opens a note, and also puts it into the address; the lines that it explains. */
  lens?: { activate(note: any): void; choose(note: any): void; linesOf(note: any): any[] };
  practice?: any;
  search?(typed?: string): void;
  sheet?(term: any): void;
  /** Loads what few readers need, of which are the next three. */
  assist?(): Promise<unknown>;
  lead?(pair: any, marker: any, ring: any): void;
  explain?(target: any): void;
  report?(target: any): void;
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
  defer?: any;
  files?: any;
  matches?: any;
  value?: any;
}

//! Definitions in Go, Java, JavaScript and TypeScript.

use super::outline;

#[test]
fn go() {
    let text = "\
package main

import \"fmt\"

// Ring is a ring.
type Ring[T any] struct {
	next, prev *Ring[T]
	values map[string]interface{}
}

type (
	// ID names one.
	ID int
	Reader interface {
		Read(p []byte) (n int, err error)
	}
)

func (r *Ring[T]) Len() int { return 1 }

// Value returns it.
func (r Ring[T]) Value() interface{} {
	text := `func hidden() {}`
	if x := f(); x != nil {
		go func() { fmt.Println('}', \"}\") }()
	}
	type local struct{ a int }
	return text
}
func Map[K comparable, V interface{ ~int }](m map[K]V, f func(K) V) (struct{}, error) {
	return struct{}{}, nil
}

func assembled(a int) int
var table = []struct{ a int }{
	{1},
}

func main() {}
type Alias = Ring[int]
";
    let expected = [
        "Ring 5-9", "ID 12-13", "Reader 14-16", "Ring.Len 19-19", "Ring.Value 21-29", "Ring.Value.local 27-27",
        "Map 30-32", "assembled 34-34", "main 39-39", "Alias 40-40",
    ];
    assert_eq!(outline("a.go", text), expected);
}

#[test]
fn java() {
    let text = "\
package a;
import java.util.*;

/** About A. */
@Deprecated
@Named(value = \"}\", types = {A.class})
public abstract class A<T extends Comparable<T>> extends B implements C {
  private final Map<String, int[]> map = new HashMap<>() {{ put(\"a\", new int[] {1}); }};
  static { init(); }

  // about the constructor
  public A(int x) throws E { super(x); }

  @Override
  public <U> List<U> list(Class<U> type) {
    Runnable r = () -> { run(); };
    return new Base<U>() { void hidden() {} };
  }
  abstract void declared(int x);
  enum Kind implements D {
    ONE { int f() { return 1; } }, TWO(2);
    Kind(int... x) {}
    int f() { return 2; }
  }
  record Point(int x, int y) {
    Point { check(x); }
    double length() { return 0; }
  }
  @interface Mark { String value() default \"\"; }
  String text = \"\"\"
      class Hidden { \"
      \"\"\";
}
interface I { void m(); default int n() { return 1; } }
";
    let expected = [
        "A 4-33", "A.A 11-12", "A.list 14-18", "A.declared 19-19", "A.Kind 20-24", "A.Kind.Kind 22-22",
        "A.Kind.f 23-23", "A.Point 25-28", "A.Point.length 27-27", "A.Mark 29-29", "A.Mark.value 29-29", "I 34-34",
        "I.m 34-34", "I.n 34-34",
    ];
    assert_eq!(outline("A.java", text), expected);
}

#[test]
fn javascript() {
    let text = "\
#!/usr/bin/env node
'use strict'
const { a, b } = require('a')

// about first
export async function* first(x = {}, { y } = {}) {
  const text = `} ${inner(`}`, { z: '}' })} function no() {`
  function inner() { return /[/}]{/.test(x) }
  return x / 2 / y
}

export default class A extends mixin(B, {}) {
  static count = 0
  handler = (event) => {
    event()
  }
  #private() { return 1 }

  /** About get. */
  get value() { return { a() {} } }
  async *[Symbol.iterator]() {}
  static async run(x) {
    if (x) { y() } else { z() }
  }
}

const arrow = async ({ a }, b) => {
  [1].map(x => { return x })
}, other = 1
const short = x => x + 1
let value = cond ? () => {} : { f: function () {} }
app.use = function use(fn) {
  describe('x', () => { function nested() {} })
}
Bucket.prototype.take = function () {}
const Klass = class { m() {} }
";
    let expected = [
        "first 5-10", "first.inner 8-8", "A 12-25", "A.handler 14-16", "A.private 17-17", "A.value 19-20",
        "A.run 22-24", "arrow 27-29", "short 30-30", "app.use 32-34", "app.use.nested 33-33", "Bucket.take 35-35",
        "Klass 36-36", "Klass.m 36-36",
    ];
    assert_eq!(outline("a.js", text), expected);
    assert_eq!(outline("bin/run", text), expected);
}

#[test]
fn typescript() {
    let text = "\
import type { A } from './a'
export type { B, type C } from './b'

/** Options. */
export interface Options<T = {}> extends
  Base<T> {
  run(x: number): void
  name?: string
}
export type Shape =
  | { kind: 'a', f(): void }
  | Other<{ b: 1 }>
declare module 'vue' {
  export function declared(x: number): void
}
export const enum Kind { A = 1, B }
namespace inner {
  export abstract class K<T extends {}> implements I, J {
    constructor(private readonly x: number) { super() }
    @Input() field: string;
    @Output({ a: 1 })
    decorated<T>(x: T): { a: T } { return { a: x } }
    abstract bare(): Promise<{ a: 1 }>
    isIt?(x: unknown): x is K { return true }
    declared = undefined!
    last() {}
  }
}
function over(x: number): void
function over(x: any): { a: number } | undefined {
  return a < b ? x : y as { a: number }
}
export const typed: Fn<{ a: 1 }, string> = (x: { a: 1 }): { b: 2 } => {
  return { b: 2 }
}
const generic = <T,>(x: T) => x
";
    let expected = [
        "Options 4-9", "Options.run 7-7", "Shape 10-12", "declared 14-14", "Kind 16-16", "inner.K 18-27",
        "inner.K.constructor 19-19", "inner.K.decorated 21-22", "inner.K.bare 23-23", "inner.K.isIt 24-24",
        "inner.K.last 26-26", "over 30-32", "typed 33-35", "generic 36-36",
    ];
    for path in ["a.ts", "a.mts", "a.tsx"] {
        assert_eq!(outline(path, text), expected, "{path}");
    }
}

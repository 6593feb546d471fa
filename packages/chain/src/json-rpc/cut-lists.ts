/**
 * The text fields that are read of a transaction or a log without parsing it, with how each stands there. The search
 * begins with a letter that is no hex digit: most of an answer is hex, which such a search skips.
 */
const KEYS = {
  hash: { start: '"', rest: 'hash":"' },
  from: { start: '"f', rest: 'rom":"' },
  value: { start: '"', rest: 'value":"' },
  type: { start: '"', rest: 'type":"' },
  blockNumber: { start: '"b', rest: 'lockNumber":"' },
} as const
export type TextField = keyof typeof KEYS

export interface CutResponse {
  /** The answer with each of those lists replaced by its number in `lists`. */
  text: string
  lists: readonly ObjectTexts[]
}

/** Where the transactions of a block begin, and a list of logs. */
const LIST = /"(?:transactions|result)":\[(?={)/g

/**
 * Takes transactions and logs out of an answer, which they are most of: of transactions only a few fields of those
 * with our logs are wanted, and logs wait as text for their blocks, because text costs the garbage collector nothing.
 * What is left is parsed and checked as JSON. Null where there are none, or in a shape that only a parser can tell
 * apart.
 */
export function cutLists(text: string): CutResponse | null {
  // Every quote begins or ends a text where there is no escape.
  if (text.includes('\\')) return null
  const lists: ObjectTexts[] = []
  let rest = ''
  let kept = 0
  for (let first = nextList(text, 0); first >= 0; first = nextList(text, kept)) {
    const found = findObjects(text, first)
    if (found === null) return null
    rest += `${text.slice(kept, first - 1)}${lists.length}`
    lists.push(new ObjectTexts(text, found))
    kept = found.end
  }
  return lists.length === 0 ? null : { text: rest + text.slice(kept), lists }
}

interface FoundObjects {
  starts: number[]
  ends: number[]
  /** Those that hold other objects. */
  nested: Set<number>
  /** Behind the list. */
  end: number
}

/** Where the first object of the next list begins; -1: there is none. */
function nextList(text: string, from: number): number {
  LIST.lastIndex = from
  return LIST.test(text) ? LIST.lastIndex : -1
}

/** The objects of a list from its first one on, by their braces. */
function findObjects(text: string, first: number): FoundObjects | null {
  const found: FoundObjects = { starts: [], ends: [], nested: new Set(), end: 0 }
  let open = first
  for (;;) {
    found.starts.push(open)
    let close = text.indexOf('}', open)
    open = text.indexOf('{', open + 1)
    for (let depth = 1; ; ) {
      if (close < 0) return null
      if (open >= 0 && open < close) {
        found.nested.add(found.starts.length - 1)
        depth++
        open = text.indexOf('{', open + 1)
        continue
      }
      if (--depth === 0) break
      close = text.indexOf('}', close + 1)
    }
    found.ends.push(close + 1)
    const next = text[close + 1]
    if (next === ']') return { ...found, end: close + 2 }
    if (next !== ',' || open !== close + 2) return null
  }
}

/** Objects of a list as they stand in an answer's text; read when asked for. */
export class ObjectTexts {
  /** The whole answer's, without escapes. */
  readonly text: string
  readonly #found: FoundObjects
  /** Where a field stood in the last object that was asked for it, from its start: most are alike. */
  readonly #lastPlaces: Record<TextField, number> = { hash: 0, from: 0, value: 0, type: 0, blockNumber: 0 }

  constructor(text: string, found: FoundObjects) {
    this.text = text
    this.#found = found
  }

  /** Where the objects begin in the text. */
  get starts(): readonly number[] {
    return this.#found.starts
  }

  get count(): number {
    return this.#found.starts.length
  }

  /** The whole list. @throws SyntaxError */
  parse(): unknown[] {
    const { starts, end } = this.#found
    return JSON.parse(this.text.slice((starts[0] ?? 0) - 1, end))
  }

  /** One object. @throws SyntaxError */
  parseOne(index: number): unknown {
    return JSON.parse(this.text.slice(this.#found.starts[index], this.#found.ends[index]))
  }

  /** A field of an object; undefined where it is no text, or where only a parser can tell. A slice, which keeps the answer in memory. */
  field(index: number, name: TextField): string | undefined {
    const at = this.#valueAt(index, name)
    return at < 0 ? undefined : this.text.slice(at, this.text.indexOf('"', at))
  }

  /** Whether `field` is this text. */
  fieldIs(index: number, name: TextField, value: string): boolean {
    const at = this.#valueAt(index, name)
    return at >= 0 && isAt(this.text, value, at) && this.text[at + value.length] === '"'
  }

  #valueAt(index: number, name: TextField): number {
    const { starts, ends, nested } = this.#found
    const [start = 0, end = 0] = [starts[index], ends[index]]
    if (nested.has(index)) return -1
    const key = KEYS[name]
    const likely = start + this.#lastPlaces[name]
    if (likely < end && isAt(this.text, key.rest, likely) && isAt(this.text, key.start, likely - key.start.length)) {
      return likely + key.rest.length
    }
    // The search ends with the object: for a field that no object has it would go to the end of the answer each time.
    const place = start + this.text.slice(start, end).indexOf(key.rest)
    if (place < start || !isAt(this.text, key.start, place - key.start.length)) return -1
    this.#lastPlaces[name] = place - start
    return place + key.rest.length
  }
}

/** The same as `startsWith`, three times as fast. */
function isAt(text: string, part: string, at: number): boolean {
  return text.slice(at, at + part.length) === part
}

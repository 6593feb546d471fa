import { present } from '@dexfeed/dex'
import { isTextAt } from './text-reader.ts'

/**
 * Fields that are read without parsing. `rest` begins with a letter that is not a hex digit, so that a search for it
 * skips most of a response.
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
  text: string
  lists: readonly ObjectTexts[]
}

const LIST_KEYS = ['"transactions":', '"result":']

/**
 * Cuts lists of transactions, logs and receipts out of a response without parsing them: they are most of it, few of
 * their fields are read, and text costs the garbage collector nothing. Returns null if there are no lists, or if only a
 * parser can find them.
 */
export function cutLists(text: string): CutResponse | null {
  // Without escapes, every quote begins or ends a string.
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
  nested: Set<number>
  end: number
}

/** Searches for `[{`, which is rare. A regular expression for the keys would read every character. */
function nextList(text: string, from: number): number {
  let start = text.indexOf('[{', from)
  while (start >= 0 && !LIST_KEYS.some((key) => isTextAt(text, key, start - key.length)))
    start = text.indexOf('[{', start + 1)
  return start < 0 ? -1 : start + 1
}

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

export class ObjectTexts {
  readonly text: string
  readonly #found: FoundObjects
  /** Where each field was in the last object, because most objects have the same layout. */
  readonly #lastPlaces: Record<TextField, number> = { hash: 0, from: 0, value: 0, type: 0, blockNumber: 0 }

  constructor(text: string, found: FoundObjects) {
    this.text = text
    this.#found = found
  }

  get starts(): readonly number[] {
    return this.#found.starts
  }

  get count(): number {
    return this.#found.starts.length
  }

  parse(): unknown[] {
    const { starts, end } = this.#found
    return JSON.parse(this.text.slice(present(starts[0]) - 1, end))
  }

  parseOne(index: number): unknown {
    return JSON.parse(this.text.slice(this.#found.starts[index], this.#found.ends[index]))
  }

  /** Returns a slice, which keeps the whole response in memory. */
  field(index: number, name: TextField): string | undefined {
    const start = this.#valueAt(index, name)
    return start < 0 ? undefined : this.text.slice(start, this.text.indexOf('"', start))
  }

  fieldIs(index: number, name: TextField, value: string): boolean {
    const start = this.#valueAt(index, name)
    return start >= 0 && isTextAt(this.text, value, start) && this.text[start + value.length] === '"'
  }

  #valueAt(index: number, name: TextField): number {
    const { starts, ends, nested } = this.#found
    const [start = 0, end = 0] = [starts[index], ends[index]]
    if (nested.has(index)) return -1
    const key = KEYS[name]
    const likely = start + this.#lastPlaces[name]
    if (
      likely < end &&
      isTextAt(this.text, key.rest, likely) &&
      isTextAt(this.text, key.start, likely - key.start.length)
    ) {
      return likely + key.rest.length
    }
    // Searches only the object: for a missing field, a search of the text would run to the end of the response each
    // time.
    const place = start + this.text.slice(start, end).indexOf(key.rest)
    if (place < start || !isTextAt(this.text, key.start, place - key.start.length)) return -1
    this.#lastPlaces[name] = place - start
    return place + key.rest.length
  }
}

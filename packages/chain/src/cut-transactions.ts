/** The text fields that are read of a transaction. */
const KEYS = { hash: '"hash":"', from: '"from":"', value: '"value":"', type: '"type":"' } as const
export type TransactionField = keyof typeof KEYS

export interface CutAnswer {
  /** The answer with each block's list of transactions replaced by its number in `lists`. */
  text: string
  lists: readonly TransactionTexts[]
}

const LIST = '"transactions":[{'

/**
 * Takes the transactions out of an answer's blocks: they are most of it, and of each only a few fields of those with
 * our logs are wanted. What is left is parsed and checked as JSON. Null where there are none, or in a shape that only
 * a parser can tell apart.
 */
export function cutTransactions(text: string): CutAnswer | null {
  // Without an escape every quote begins or ends a text.
  if (!text.includes(LIST) || text.includes('\\')) return null
  const lists: TransactionTexts[] = []
  let rest = ''
  let kept = 0
  for (let at = text.indexOf(LIST); at >= 0; at = text.indexOf(LIST, kept)) {
    const first = at + LIST.length - 1
    const found = findObjects(text, first)
    if (found === null) return null
    rest += `${text.slice(kept, first - 1)}${lists.length}`
    lists.push(new TransactionTexts(text, found))
    kept = found.end
  }
  return { text: rest + text.slice(kept), lists }
}

interface FoundObjects {
  starts: number[]
  ends: number[]
  /** Those that hold other objects. */
  nested: Set<number>
  /** Behind the list. */
  end: number
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

/** The transactions of a block as they stand in an answer's text; read one by one, when asked for. */
export class TransactionTexts {
  readonly #text: string
  readonly #found: FoundObjects
  /** Where a field stood in the last transaction, from its start: most are alike. */
  readonly #lastPlaces: Record<TransactionField, number> = { hash: 0, from: 0, value: 0, type: 0 }

  constructor(text: string, found: FoundObjects) {
    this.#text = text
    this.#found = found
  }

  get count(): number {
    return this.#found.starts.length
  }

  /** A transaction, as JSON. */
  text(index: number): string {
    return this.#text.slice(this.#found.starts[index], this.#found.ends[index])
  }

  /** A field of a transaction; undefined where it is no text, or where only a parser can tell. */
  field(index: number, name: TransactionField): string | undefined {
    const at = this.#valueAt(index, name)
    if (at < 0) return undefined
    // A copy: a slice would keep the whole answer in memory.
    return Buffer.from(this.#text.slice(at, this.#text.indexOf('"', at)), 'latin1').toString('latin1')
  }

  /** Whether `field` is this text. */
  fieldIs(index: number, name: TransactionField, value: string): boolean {
    const at = this.#valueAt(index, name)
    return at >= 0 && this.#text.startsWith(value, at) && this.#text[at + value.length] === '"'
  }

  #valueAt(index: number, name: TransactionField): number {
    const { starts, ends, nested } = this.#found
    const [start = 0, end = 0] = [starts[index], ends[index]]
    if (nested.has(index)) return -1
    const key = KEYS[name]
    const likely = start + this.#lastPlaces[name]
    const at = likely < end && this.#text.startsWith(key, likely) ? likely : this.#text.indexOf(key, start)
    if (at < 0 || at >= end) return -1
    this.#lastPlaces[name] = at - start
    return at + key.length
  }
}

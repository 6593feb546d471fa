/** Thrown by `TextReader` for text that nodes do not usually write. */
export const UNUSUAL = new Error('not written as usual')
const MOST_NUMBER = 2 ** 31 - 1
const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN = 123
const CLOSE = 125
const ZERO = 48
const NINE = 57
const LETTER_A = 97
const LETTER_X = 120

/** Keys of objects, with the text that ends each. */
interface Keys<Name extends string> {
  names: readonly Name[]
  ends: readonly string[]
}

export function keysOf<Name extends string>(...names: readonly Name[]): Keys<Name> {
  return { names, ends: names.map((name) => `${name}":`) }
}

/** More fields than a node's objects have. */
const MOST_REMEMBERED = 64

/** Reads JSON without spaces and escapes, from one place to the next, and copies nothing. */
export class TextReader {
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The code of the next character; NaN past the end. */
  get next(): number {
    return this.#text.charCodeAt(this.at)
  }

  /** Skips a character that must come next. */
  expect(code: number): void {
    if (this.#text.charCodeAt(this.at++) !== code) throw UNUSUAL
  }

  /** Whether another field or element follows. */
  goesOn(close: number): boolean {
    const code = this.#text.charCodeAt(this.at++)
    if (code !== COMMA && code !== close) throw UNUSUAL
    return code === COMMA
  }

  /**
   * Reads the key of this field, up to its value; undefined if it is not one of the keys. `order` holds the key at each
   * position of the previous object: most objects are alike.
   */
  key<Name extends string>({ names, ends }: Keys<Name>, order: number[], field: number): Name | undefined {
    this.expect(QUOTE)
    const likely = order[field] ?? -1
    const end = ends[likely]
    if (end !== undefined && this.isNext(end)) return names[likely]
    const from = this.at
    this.at = this.#endFrom(from) + 1
    this.expect(COLON)
    const key = this.#text.slice(from, this.at)
    const index = ends.indexOf(key)
    if (field < MOST_REMEMBERED) order[field] = index
    return names[index]
  }

  /** Reads a text of a fixed length and returns its place. A quote inside fails later, as a hex digit. */
  textOf(length: number): number {
    this.expect(QUOTE)
    const from = this.at
    if (this.#text.charCodeAt(from + length) !== QUOTE) throw UNUSUAL
    this.at = from + length + 1
    return from
  }

  /** Reads a text of any length and returns its place. It ends before the last character read. */
  value(): number {
    this.expect(QUOTE)
    const from = this.at
    this.at = this.#endFrom(from) + 1
    return from
  }

  /** Returns the place of the next quote. */
  #endFrom(from: number): number {
    const end = this.#text.indexOf('"', from)
    if (end < 0) throw UNUSUAL
    return end
  }

  /** Reads a quantity of a few lower-case digits. */
  number(): number {
    const text = this.#text
    this.expect(QUOTE)
    this.expect(ZERO)
    this.expect(LETTER_X)
    const from = this.at
    let number = 0
    for (let code = text.charCodeAt(this.at++); code !== QUOTE; code = text.charCodeAt(this.at++)) {
      const digit = code <= NINE ? code - ZERO : code >= LETTER_A ? code - LETTER_A + 10 : -1
      // Past the end of the text the code is NaN.
      if (!(digit >= 0 && digit <= 15)) throw UNUSUAL
      number = number * 16 + digit
      if (number > MOST_NUMBER) throw UNUSUAL
    }
    if (this.at === from + 1) throw UNUSUAL
    return number
  }

  /** Reads a whole number of decimal digits, without quotes. */
  whole(): number {
    const from = this.at
    let number = 0
    for (let digit = this.next - ZERO; digit >= 0 && digit <= 9; digit = this.next - ZERO) {
      number = number * 10 + digit
      if (number > MOST_NUMBER) throw UNUSUAL
      this.at++
    }
    // JSON numbers have no leading zeros.
    if (this.at === from || (this.at > from + 1 && this.#text.charCodeAt(from) === ZERO)) throw UNUSUAL
    return number
  }

  /** Skips a word if it comes next. */
  isNext(word: string): boolean {
    const text = this.#text
    const at = this.at
    for (let i = 0; i < word.length; i++) if (text.charCodeAt(at + i) !== word.charCodeAt(i)) return false
    this.at = at + word.length
    return true
  }

  skip(): void {
    const text = this.#text
    let depth = 0
    do {
      const code = text.charCodeAt(this.at)
      if (code === QUOTE) {
        this.value()
        continue
      }
      if (code === OPEN || code === OPEN_LIST) depth++
      else if (code === CLOSE || code === CLOSE_LIST) depth--
      if (depth < 0 || Number.isNaN(code)) throw UNUSUAL
      this.at++
    } while (depth > 0 || !isBehindValue(text.charCodeAt(this.at)))
  }
}

function isBehindValue(code: number): boolean {
  return code === COMMA || code === CLOSE || code === CLOSE_LIST
}

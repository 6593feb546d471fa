import { copyOf, type Hex } from '@dexfeed/dex'

/** Thrown for text that nodes do not usually write, which a parser must read. */
export const UNUSUAL = new Error('not written as usual')
const MAX_NUMBER = 2 ** 31 - 1
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

interface Keys<Name extends string> {
  names: readonly Name[]
  ends: readonly string[]
}

export function keysOf<Name extends string>(...names: readonly Name[]): Keys<Name> {
  return { names, ends: names.map((name) => `${name}":`) }
}

/** More fields than a node's objects have. */
const MAX_REMEMBERED = 64

/** Reads JSON that has no spaces or escapes, from start to end and without copying. */
export class TextReader {
  position = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** NaN past the end. */
  get next(): number {
    return this.#text.charCodeAt(this.position)
  }

  expect(code: number): void {
    if (this.#text.charCodeAt(this.position++) !== code) throw UNUSUAL
  }

  goesOn(close: number): boolean {
    const code = this.#text.charCodeAt(this.position++)
    if (code !== COMMA && code !== close) throw UNUSUAL
    return code === COMMA
  }

  /**
   * Reads a key; returns undefined if it is not one of `names`. `order` holds the last object's key at each position,
   * because most objects have the same layout.
   */
  key<Name extends string>({ names, ends }: Keys<Name>, order: number[], field: number): Name | undefined {
    this.expect(QUOTE)
    const likely = order[field] ?? -1
    const end = ends[likely]
    if (end !== undefined && this.isNext(end)) return names[likely]
    const from = this.position
    this.position = this.#endFrom(from) + 1
    this.expect(COLON)
    const key = this.#text.slice(from, this.position)
    const index = ends.indexOf(key)
    if (field < MAX_REMEMBERED) order[field] = index
    return names[index]
  }

  /** Returns where a string of a fixed length begins. A quote inside it fails later, when it is read as a hex digit. */
  textOf(length: number): number {
    this.expect(QUOTE)
    const from = this.position
    if (this.#text.charCodeAt(from + length) !== QUOTE) throw UNUSUAL
    this.position = from + length + 1
    return from
  }

  value(): number {
    this.expect(QUOTE)
    const from = this.position
    this.position = this.#endFrom(from) + 1
    return from
  }

  #endFrom(from: number): number {
    const end = this.#text.indexOf('"', from)
    if (end < 0) throw UNUSUAL
    return end
  }

  number(): number {
    const text = this.#text
    this.expect(QUOTE)
    this.expect(ZERO)
    this.expect(LETTER_X)
    const from = this.position
    let number = 0
    for (let code = text.charCodeAt(this.position++); code !== QUOTE; code = text.charCodeAt(this.position++)) {
      const digit = code <= NINE ? code - ZERO : code >= LETTER_A ? code - LETTER_A + 10 : -1
      if (!(digit >= 0 && digit <= 15)) throw UNUSUAL
      number = number * 16 + digit
      if (number > MAX_NUMBER) throw UNUSUAL
    }
    if (this.position === from + 1) throw UNUSUAL
    return number
  }

  whole(): number {
    const from = this.position
    let number = 0
    for (let digit = this.next - ZERO; digit >= 0 && digit <= 9; digit = this.next - ZERO) {
      number = number * 10 + digit
      if (number > MAX_NUMBER) throw UNUSUAL
      this.position++
    }
    if (this.position === from || (this.position > from + 1 && this.#text.charCodeAt(from) === ZERO)) throw UNUSUAL
    return number
  }

  isNext(word: string): boolean {
    const text = this.#text
    const start = this.position
    for (let i = 0; i < word.length; i++) if (text.charCodeAt(start + i) !== word.charCodeAt(i)) return false
    this.position = start + word.length
    return true
  }

  skip(): void {
    const text = this.#text
    let depth = 0
    do {
      const code = text.charCodeAt(this.position)
      if (code === QUOTE) {
        this.value()
        continue
      }
      if (code === OPEN || code === OPEN_LIST) depth++
      else if (code === CLOSE || code === CLOSE_LIST) depth--
      if (depth < 0 || Number.isNaN(code)) throw UNUSUAL
      this.position++
    } while (depth > 0 || !isBehindValue(text.charCodeAt(this.position)))
  }
}

function isBehindValue(code: number): boolean {
  return code === COMMA || code === CLOSE || code === CLOSE_LIST
}

const DIGITS = 4

/**
 * Caches recurring hex strings as copies, because a slice would keep its response in memory. Finds them by their last
 * digits, because hashing takes five times as long.
 */
export class KeptTexts<T extends Hex> {
  readonly #length: number
  readonly #read: (text: string) => T
  readonly #kept = new Array<T | undefined>(16 ** DIGITS)

  constructor(length: number, read: (text: string) => T) {
    this.#length = length
    this.#read = read
  }

  at(response: string, from: number): T {
    const end = from + this.#length
    const place = lastDigitsBefore(response, end)
    const kept = this.#kept[place]
    const shown = response.slice(from, end)
    if (kept === shown) return kept
    const value = this.#read(copyOf(shown))
    this.#kept[place] = value
    return value
  }
}

/** Like `startsWith`, but three times as fast. */
export function isTextAt(text: string, part: string, start: number): boolean {
  return text.slice(start, start + part.length) === part
}

export function lastDigitsBefore(text: string, end: number): number {
  let number = 0
  for (let index = end - DIGITS; index < end; index++) {
    const code = text.charCodeAt(index)
    // The low bits of '0' are 0, those of 'a' 1. Other characters give a wrong value within the same bounds.
    const digit = code > NINE ? code + 9 : code
    number = number * 16 + (digit & 15)
  }
  return number
}

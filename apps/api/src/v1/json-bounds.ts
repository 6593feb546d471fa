import { InvalidRequest } from '@dexfeed/contract'

/** Levels of the deepest body: a batch of quotes has six. */
const MOST_LEVELS = 8
const MOST_FIELDS = 32
const MOST_ITEMS = 1_000

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OBJECT = [0x7b, 0x7d] as const
const ARRAY = [0x5b, 0x5d] as const

/**
 * Refuses JSON that is deeper or has more fields or items than any request. What is refused is not parsed: parsing and
 * checking thousands of unknown fields takes longer than a hundred quotes.
 *
 * @param json as UTF-8; text that is no JSON may pass
 * @throws InvalidRequest
 */
export function checkBounds(json: Uint8Array): void {
  const left: number[] = []
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === OBJECT[0]) left.push(MOST_FIELDS)
    else if (byte === ARRAY[0]) left.push(MOST_ITEMS)
    else if (byte === OBJECT[1] || byte === ARRAY[1]) left.pop()
    else if (byte === COMMA) {
      const ofInnermost = left.pop()
      if (ofInnermost !== undefined) left.push(ofInnermost - 1)
    }
    if (left.length > MOST_LEVELS) throw new InvalidRequest(`the body has more than ${MOST_LEVELS} levels`)
    if (left.at(-1) === 0) {
      throw new InvalidRequest(`the body has more than ${MOST_FIELDS} fields or ${MOST_ITEMS} items in one place`)
    }
  }
}

function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}

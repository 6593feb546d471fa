import type { Keccak } from './keccak.ts'
import { RlpWriter } from './rlp-writer.ts'

/** Writes the value at an index. */
export type WriteValue = (writer: RlpWriter, index: number) => void

interface Key {
  index: number
  /** Half bytes of the index' RLP. */
  nibbles: readonly number[]
}

/** A node that is encoded in fewer bytes stands in its parent itself, in the place of its hash. */
const SHORTEST_HASHED = 32
const NOTHING = Buffer.from([0x80])

/**
 * Roots of tries that hold a list: each value under the RLP of its index, as a block's header commits to its receipts
 * (Yellow Paper, appendix D). Buffers and keys are kept from one root to the next.
 */
export class ListRoot {
  readonly #keccak: Keccak
  readonly #writer = new RlpWriter()
  /** Of the first indices, in the keys' own order: they are sorted when there are more. */
  readonly #keys: Key[] = []

  constructor(keccak: Keccak) {
    this.#keccak = keccak
  }

  of(count: number, write: WriteValue): Uint8Array {
    this.#writer.clear()
    const keys = this.#keysOf(count)
    return this.#keccak(this.#node(keys, 0, keys.length, 0, write))
  }

  /** The encoded node of keys[from..to), which agree up to `depth`; no key is the beginning of another one. */
  #node(keys: readonly Key[], from: number, to: number, depth: number, write: WriteValue): Uint8Array {
    const [first, last] = [keys[from], keys[to - 1]]
    const writer = this.#writer
    const end = writer.start
    if (first === undefined || last === undefined) return NOTHING
    if (from + 1 === to) {
      write(writer, first.index)
      writer.wrap(end)
      writer.text(hexPrefix(first.nibbles, depth, first.nibbles.length, true))
      return this.#taken(end)
    }
    const shared = sharedLength(first.nibbles, last.nibbles)
    if (shared > depth) {
      this.#writeReference(keys, from, to, shared, write)
      writer.text(hexPrefix(first.nibbles, depth, shared, false))
    } else this.#writeBranch(keys, from, to, depth, write)
    return this.#taken(end)
  }

  /** Writes the 16 children of a branch in front of its value, of which a list's trie has none. */
  #writeBranch(keys: readonly Key[], from: number, to: number, depth: number, write: WriteValue): void {
    this.#writer.encoded(NOTHING)
    let end = to
    for (let nibble = 15; nibble >= 0; nibble--) {
      let start = end
      while (start > from && keys[start - 1]?.nibbles[depth] === nibble) start--
      this.#writeReference(keys, start, end, depth + 1, write)
      end = start
    }
  }

  /** Writes what a node is named by in its parent, once the node itself is taken out of the writer. */
  #writeReference(keys: readonly Key[], from: number, to: number, depth: number, write: WriteValue): void {
    if (from === to) {
      this.#writer.encoded(NOTHING)
      return
    }
    const node = this.#node(keys, from, to, depth, write)
    if (node.length < SHORTEST_HASHED) this.#writer.encoded(Uint8Array.from(node))
    else this.#writer.text(this.#keccak(node))
  }

  /** Makes a list of what was written since `end` and takes it out of the writer. Valid until the next write. */
  #taken(end: number): Uint8Array {
    this.#writer.list(end)
    const node = this.#writer.since(end)
    this.#writer.clear(end)
    return node
  }

  /** The keys of the first `count` indices, in their own order. */
  #keysOf(count: number): Key[] {
    const known = this.#keys.length
    for (let index = known; index < count; index++) {
      const writer = new RlpWriter(8)
      writer.quantity(`0x${index.toString(16)}`)
      this.#keys.push({ index, nibbles: [...writer.since(0)].flatMap((byte) => [byte >> 4, byte & 15]) })
    }
    if (this.#keys.length > known) this.#keys.sort((a, b) => compareNibbles(a.nibbles, b.nibbles))
    return this.#keys.filter(({ index }) => index < count)
  }
}

/** nibbles[from..to) as bytes, behind a half byte that tells whether they are even and end at a value (appendix C). */
function hexPrefix(nibbles: readonly number[], from: number, to: number, isLeaf: boolean): Uint8Array {
  const isOdd = (to - from) % 2 === 1
  const bytes = new Uint8Array(1 + ((to - from) >> 1))
  bytes[0] = (isLeaf ? 0x20 : 0) + (isOdd ? 0x10 + (nibbles[from] ?? 0) : 0)
  for (let at = isOdd ? from + 1 : from, i = 1; at < to; at += 2) {
    bytes[i++] = (nibbles[at] ?? 0) * 16 + (nibbles[at + 1] ?? 0)
  }
  return bytes
}

function sharedLength(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((nibble, i) => nibble !== b[i])
  return differs < 0 ? a.length : differs
}

function compareNibbles(a: readonly number[], b: readonly number[]): number {
  const at = sharedLength(a, b)
  return (a[at] ?? -1) - (b[at] ?? -1)
}

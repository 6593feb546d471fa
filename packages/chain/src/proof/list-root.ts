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
  /** Of the first indices, in the order of the indices. */
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
    const children =
      shared > depth ? [this.#reference(keys, from, to, shared, write)] : this.#branch(keys, from, to, depth, write)
    for (const child of children.toReversed()) writer.encoded(child)
    if (shared > depth) writer.text(hexPrefix(first.nibbles, depth, shared, false))
    return this.#taken(end)
  }

  /** The 16 children of a branch, and its value, of which a list's trie has none. */
  #branch(keys: readonly Key[], from: number, to: number, depth: number, write: WriteValue): Uint8Array[] {
    const children: Uint8Array[] = []
    let start = from
    for (let nibble = 0; nibble < 16; nibble++) {
      let next = start
      while (next < to && keys[next]?.nibbles[depth] === nibble) next++
      children.push(this.#reference(keys, start, next, depth + 1, write))
      start = next
    }
    return [...children, NOTHING]
  }

  /** How a node is named in its parent, encoded. */
  #reference(keys: readonly Key[], from: number, to: number, depth: number, write: WriteValue): Uint8Array {
    if (from === to) return NOTHING
    const node = this.#node(keys, from, to, depth, write)
    if (node.length < SHORTEST_HASHED) return Uint8Array.from(node)
    return Buffer.concat([Buffer.from([0xa0]), this.#keccak(node)])
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
    for (let index = this.#keys.length; index < count; index++) {
      const writer = new RlpWriter(8)
      writer.quantity(`0x${index.toString(16)}`)
      this.#keys.push({ index, nibbles: [...writer.since(0)].flatMap((byte) => [byte >> 4, byte & 15]) })
    }
    return this.#keys.slice(0, count).sort((a, b) => compareNibbles(a.nibbles, b.nibbles))
  }
}

/** nibbles[from..to) as bytes, behind a half byte that tells whether they are even and end at a value (appendix C). */
function hexPrefix(nibbles: readonly number[], from: number, to: number, isLeaf: boolean): Uint8Array {
  const flag = isLeaf ? 2 : 0
  const isOdd = (to - from) % 2 === 1
  const padded = [...(isOdd ? [flag + 1] : [flag, 0]), ...nibbles.slice(from, to)]
  return Uint8Array.from({ length: padded.length / 2 }, (_, i) => (padded[2 * i] ?? 0) * 16 + (padded[2 * i + 1] ?? 0))
}

function sharedLength(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((nibble, i) => nibble !== b[i])
  return differs < 0 ? a.length : differs
}

function compareNibbles(a: readonly number[], b: readonly number[]): number {
  const at = sharedLength(a, b)
  return (a[at] ?? -1) - (b[at] ?? -1)
}

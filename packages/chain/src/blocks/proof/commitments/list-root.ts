import { present } from '@dexfeed/dex'
import type { Keccak } from './keccak.ts'
import { RlpWriter } from './rlp-writer.ts'

export type WriteValue = (writer: RlpWriter, index: number) => void

interface Key {
  index: number
  /** Half bytes of the index' RLP. */
  nibbles: readonly number[]
}

/** A node with a shorter encoding is embedded in its parent instead of its hash. */
const SHORTEST_HASHED = 32
const NOTHING = Buffer.from([0x80])

/**
 * Computes the roots of tries that hold a list: each value under the RLP of its index. This is how a block's header
 * commits to its receipts (Yellow Paper, appendix D). Buffers and keys are reused for the next root.
 */
export class ListRoot {
  readonly #keccak: Keccak
  readonly #writer = new RlpWriter()
  /** Keys of the first indices, in key order; sorted again when keys are added. */
  readonly #keys: Key[] = []

  constructor(keccak: Keccak) {
    this.#keccak = keccak
  }

  of(count: number, write: WriteValue): Uint8Array {
    this.#writer.clear()
    const keys = this.#keysOf(count)
    return this.#keccak(this.#node(keys, 0, keys.length, 0, write))
  }

  /** Returns the node of keys[from..to), which share the first `depth` half bytes. No key is a prefix of another. */
  #node(keys: readonly Key[], from: number, to: number, depth: number, write: WriteValue): Uint8Array {
    const first = keys[from]
    const last = keys[to - 1]
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

  /** Writes the 16 children of a branch before its value, which is empty in a list's trie. */
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

  /** Writes the reference to a node for its parent, after the node itself left the writer. */
  #writeReference(keys: readonly Key[], from: number, to: number, depth: number, write: WriteValue): void {
    if (from === to) {
      this.#writer.encoded(NOTHING)
      return
    }
    const node = this.#node(keys, from, to, depth, write)
    if (node.length < SHORTEST_HASHED) this.#writer.encoded(Uint8Array.from(node))
    else this.#writer.text(this.#keccak(node))
  }

  /** Turns what was written since `end` into a list and removes it from the writer. Valid until the next write. */
  #taken(end: number): Uint8Array {
    this.#writer.list(end)
    const node = this.#writer.since(end)
    this.#writer.clear(end)
    return node
  }

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

/** Returns nibbles[from..to) as bytes, after a half byte that shows parity and the end at a value (appendix C). */
function hexPrefix(nibbles: readonly number[], from: number, to: number, isLeaf: boolean): Uint8Array {
  const isOdd = (to - from) % 2 === 1
  const bytes = new Uint8Array(1 + ((to - from) >> 1))
  bytes[0] = (isLeaf ? 0x20 : 0) + (isOdd ? 0x10 + present(nibbles[from]) : 0)
  for (let at = isOdd ? from + 1 : from, i = 1; at < to; at += 2) {
    bytes[i++] = present(nibbles[at]) * 16 + present(nibbles[at + 1])
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

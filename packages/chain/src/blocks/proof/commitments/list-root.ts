import { present } from '@dexfeed/dex'
import { createKeccak } from 'hash-wasm'
import { RlpWriter } from './rlp-writer.ts'

/** The result is valid only until the next call. */
export type Keccak = (bytes: Uint8Array) => Uint8Array

/** Loads Keccak-256 in WebAssembly, which is several times as fast as JavaScript on a block's 100 kB of receipts. */
export async function loadKeccak(): Promise<Keccak> {
  const hasher = await createKeccak(256)
  return (bytes) => hasher.init().update(bytes).digest('binary')
}

export type WriteValue = (writer: RlpWriter, index: number) => void

interface Key {
  index: number
  /** Half bytes of the RLP-encoded index. */
  nibbles: readonly number[]
}

/** A shorter node is embedded in its parent instead of hashed. */
const SHORTEST_HASHED = 32
const NOTHING = Buffer.from([0x80])
const NO_VALUE: WriteValue = () => undefined

/**
 * Computes the root of the trie of a list, in which each value's key is its RLP-encoded index (Yellow Paper, appendix
 * D). Reuses its buffers and keys.
 */
export class ListRoot {
  readonly #keccak: Keccak
  readonly #writer = new RlpWriter()
  /** Sorted by `nibbles`. */
  readonly #keys: Key[] = []
  #writeValue: WriteValue = NO_VALUE

  constructor(keccak: Keccak) {
    this.#keccak = keccak
  }

  of(count: number, write: WriteValue): Uint8Array {
    this.#writer.clear()
    this.#writeValue = write
    try {
      return this.#keccak(this.#node(this.#keysOf(count), 0))
    } finally {
      // The callback may keep a whole response in memory.
      this.#writeValue = NO_VALUE
    }
  }

  /** Returns the encoded node for keys that share the first `depth` half bytes. No key is a prefix of another. */
  #node(keys: readonly Key[], depth: number): Uint8Array {
    const first = keys[0]
    const last = keys.at(-1)
    const writer = this.#writer
    const end = writer.start
    if (first === undefined || last === undefined) return NOTHING
    if (first === last) {
      this.#writeValue(writer, first.index)
      writer.wrap(end)
      writer.text(hexPrefix(first.nibbles, depth, first.nibbles.length, true))
      return this.#taken(end)
    }
    const shared = sharedLength(first.nibbles, last.nibbles)
    if (shared > depth) {
      this.#writeReference(keys, shared)
      writer.text(hexPrefix(first.nibbles, depth, shared, false))
    } else this.#writeBranch(keys, depth)
    return this.#taken(end)
  }

  /** Writes a branch back to front: its value, which is always empty in the trie of a list, then its 16 children. */
  #writeBranch(keys: readonly Key[], depth: number): void {
    this.#writer.encoded(NOTHING)
    let end = keys.length
    for (let nibble = 15; nibble >= 0; nibble--) {
      let start = end
      while (start > 0 && keys[start - 1]?.nibbles[depth] === nibble) start--
      this.#writeReference(keys.slice(start, end), depth + 1)
      end = start
    }
  }

  #writeReference(keys: readonly Key[], depth: number): void {
    const node = this.#node(keys, depth)
    if (keys.length === 0) this.#writer.encoded(node)
    else if (node.length < SHORTEST_HASHED) this.#writer.encoded(Uint8Array.from(node))
    else this.#writer.text(this.#keccak(node))
  }

  /**
   * Makes an RLP list of the bytes written since `end`, and removes them from the writer. The result is valid until the
   * next write.
   */
  #taken(end: number): Uint8Array {
    this.#writer.list(end)
    const node = this.#writer.since(end)
    this.#writer.clear(end)
    return node
  }

  #keysOf(count: number): Key[] {
    const keyCount = this.#keys.length
    for (let index = keyCount; index < count; index++) {
      const writer = new RlpWriter(8)
      writer.quantity(`0x${index.toString(16)}`)
      this.#keys.push({ index, nibbles: [...writer.since(0)].flatMap((byte) => [byte >> 4, byte & 15]) })
    }
    if (this.#keys.length > keyCount) this.#keys.sort((a, b) => compareNibbles(a.nibbles, b.nibbles))
    return this.#keys.filter(({ index }) => index < count)
  }
}

/** Hex-prefix encoding (Yellow Paper, appendix C). */
function hexPrefix(nibbles: readonly number[], from: number, to: number, isLeaf: boolean): Uint8Array {
  const isOdd = (to - from) % 2 === 1
  const bytes = new Uint8Array(1 + ((to - from) >> 1))
  bytes[0] = (isLeaf ? 0x20 : 0) + (isOdd ? 0x10 + present(nibbles[from]) : 0)
  for (let index = isOdd ? from + 1 : from, i = 1; index < to; index += 2) {
    bytes[i++] = present(nibbles[index]) * 16 + present(nibbles[index + 1])
  }
  return bytes
}

function sharedLength(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((nibble, i) => nibble !== b[i])
  return differs < 0 ? a.length : differs
}

function compareNibbles(a: readonly number[], b: readonly number[]): number {
  const index = sharedLength(a, b)
  return (a[index] ?? -1) - (b[index] ?? -1)
}

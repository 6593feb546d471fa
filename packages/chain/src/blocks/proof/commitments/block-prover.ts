import type { RpcObject } from '../../../json-rpc/rpc-value.ts'
import type { ScannedReceipts } from '../../../json-rpc/scanned-receipts.ts'
import { headerHash, unknownFields } from './header-hash.ts'
import { type Keccak, loadKeccak } from './keccak.ts'
import { ListRoot } from './list-root.ts'
import { hexOf, receiptsRoot, scannedRoot } from './receipts-root.ts'
import { NotHex } from './rlp-writer.ts'

const MOST_NAMES = 8
const LONGEST_LIST = 200

/** The result of recomputing a block's commitments. */
export type Proof =
  /** The header commits to this many receipts, from the first on. */
  | { kind: 'proven'; receipts: number }
  /**
   * Header or receipts lack fields (a lean node). Or the header does not match its hash by the known fields, and has
   * others (a newer fork, or a lie). `unknownFields` are their names.
   */
  | { kind: 'unknown'; what: string; unknownFields?: readonly string[] }
  | { kind: 'false'; what: string }

/**
 * Recomputes what a block's hash commits to (Yellow Paper, 4.3 and 4.4): the hash, from the header's fields, and the
 * root of the receipts' trie. That root covers type, outcome, gas, bloom and logs of every transaction, in order.
 */
export class BlockProver {
  readonly #keccak: Keccak
  readonly #roots: ListRoot

  constructor(keccak: Keccak) {
    this.#keccak = keccak
    this.#roots = new ListRoot(keccak)
  }

  static async load(): Promise<BlockProver> {
    return new BlockProver(await loadKeccak())
  }

  /**
   * @param header as returned by eth_getBlockByNumber
   * @param receipts all receipts of the block, as returned by eth_getBlockReceipts
   * @param bridged whether the last receipt may be outside of the root, as Polygon's state-sync receipts were
   */
  prove(header: RpcObject, receipts: readonly RpcObject[], bridged: boolean): Proof {
    const fault = this.#faultOfHeader(header)
    if (fault !== null) return fault
    try {
      const proven = countsOf(receipts.length, bridged).find((count) =>
        this.#hasRoot(header.receiptsRoot, receipts.slice(0, count)),
      )
      if (proven !== undefined) return { kind: 'proven', receipts: proven }
    } catch (error) {
      if (!(error instanceof NotHex)) throw error
      return { kind: 'unknown', what: error.message }
    }
    return { kind: 'false', what: 'the receipts do not have the root of the header' }
  }

  /**
   * Returns how many first receipts the header commits to, by their text. Null if none, or if only `prove` can decide.
   */
  provenCount(header: RpcObject, receipts: ScannedReceipts, bridged: boolean): number | null {
    if (this.#faultOfHeader(header) !== null) return null
    const root = lowerCase(header.receiptsRoot)
    try {
      const proven = countsOf(receipts.count, bridged).find(
        (count) => scannedRoot(receipts, count, this.#roots) === root,
      )
      return proven ?? null
    } catch (error) {
      if (error instanceof NotHex) return null
      throw error
    }
  }

  /** Whether the header commits to these transactions, given by the encodings of all in order. */
  proveTransactions(header: RpcObject, encodings: readonly Uint8Array[]): 'proven' | 'unknown' | 'false' {
    const fault = this.#faultOfHeader(header)
    if (fault !== null) return fault.kind
    const root = this.#roots.of(encodings.length, (writer, index) =>
      writer.encoded(encodings[index] ?? new Uint8Array()),
    )
    return hexOf(root) === lowerCase(header.transactionsRoot) ? 'proven' : 'false'
  }

  /** Whether a header's known fields have its hash; null if some of them are missing. */
  hasItsHash(header: RpcObject): boolean | null {
    try {
      return headerHash(header, this.#keccak) === lowerCase(header.hash)
    } catch (error) {
      if (!(error instanceof NotHex)) throw error
      return null
    }
  }

  #faultOfHeader(header: RpcObject): Exclude<Proof, { kind: 'proven' }> | null {
    const hasItsHash = this.hasItsHash(header)
    if (hasItsHash === true) return null
    const unknown = unknownFields(header)
    if (unknown.length > 0) {
      return { kind: 'unknown', what: `a header with unknown fields: ${listed(unknown)}`, unknownFields: unknown }
    }
    if (hasItsHash === null) return { kind: 'unknown', what: 'a header that lacks fields' }
    return { kind: 'false', what: 'the header does not match its hash' }
  }

  #hasRoot(root: unknown, receipts: readonly RpcObject[]): boolean {
    return receiptsRoot(receipts, this.#roots) === lowerCase(root)
  }
}

/** Joins names chosen by a node, cut to the size of a log line. */
function listed(names: readonly string[]): string {
  return names.slice(0, MOST_NAMES).join(', ').slice(0, LONGEST_LIST)
}

function countsOf(receipts: number, bridged: boolean): number[] {
  return bridged && receipts > 0 ? [receipts, receipts - 1] : [receipts]
}

function lowerCase(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}

import type { Hex } from '@dexfeed/dex'
import type { RpcObject } from '../json-rpc/rpc-value.ts'
import type { ScannedReceipts } from '../json-rpc/scanned-receipts.ts'
import { hasUnknownFields, headerHash } from './header-hash.ts'
import { type Keccak, loadKeccak } from './keccak.ts'
import { ListRoot } from './list-root.ts'
import { receiptsRoot, scannedRoot } from './receipts-root.ts'
import { NotHex } from './rlp-writer.ts'

/** What came of recomputing a block's commitments. */
export type Proof =
  | { kind: 'proven' }
  /** Header or receipts lack fields, or the header has some that are not known here: a lean node, or a newer fork. */
  | { kind: 'unknown'; what: string }
  | { kind: 'false'; what: string }

/**
 * Recomputes what a block's hash commits to: the hash out of the header's fields, and the root of the receipts' trie,
 * which covers type, outcome, gas, bloom and logs of every transaction in their order (Yellow Paper, 4.3 and 4.4).
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
   * @param header as eth_getBlockByNumber shows it
   * @param receipts all of the block, as eth_getBlockReceipts shows them
   * @param bridged whether the last receipt may stand outside of the root, as Polygon's state-sync receipts did
   */
  prove(header: RpcObject, receipts: readonly RpcObject[], bridged: boolean): Proof {
    const ofHeader = this.#proveHeader(header)
    if (ofHeader.kind !== 'proven') return ofHeader
    try {
      if (this.#hasRoot(header.receiptsRoot, receipts)) return { kind: 'proven' }
      if (bridged && receipts.length > 0 && this.#hasRoot(header.receiptsRoot, receipts.slice(0, -1))) {
        return { kind: 'proven' }
      }
    } catch (error) {
      if (!(error instanceof NotHex)) throw error
      return { kind: 'unknown', what: error.message }
    }
    return { kind: 'false', what: 'the receipts do not have the root that the header names' }
  }

  /**
   * Whether header and receipts prove each other, told by the receipts' text alone. False also for what only `prove` can
   * tell.
   */
  isProven(header: RpcObject, receipts: ScannedReceipts, bridged: boolean): boolean {
    if (this.#proveHeader(header).kind !== 'proven') return false
    const root = lowerCase(header.receiptsRoot)
    const { count } = receipts
    try {
      if (scannedRoot(receipts, count, this.#roots) === root) return true
      return bridged && count > 0 && scannedRoot(receipts, count - 1, this.#roots) === root
    } catch (error) {
      if (error instanceof NotHex) return false
      throw error
    }
  }

  #proveHeader(header: RpcObject): Proof {
    let hash: Hex
    try {
      hash = headerHash(header, this.#keccak)
    } catch (error) {
      if (!(error instanceof NotHex)) throw error
      return { kind: 'unknown', what: error.message }
    }
    if (hash === lowerCase(header.hash)) return { kind: 'proven' }
    if (hasUnknownFields(header)) return { kind: 'unknown', what: 'a header with fields of another fork' }
    return { kind: 'false', what: 'the header does not have the hash that it is shown with' }
  }

  #hasRoot(root: unknown, receipts: readonly RpcObject[]): boolean {
    return receiptsRoot(receipts, this.#roots) === lowerCase(root)
  }
}

function lowerCase(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}

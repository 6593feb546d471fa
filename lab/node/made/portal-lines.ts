import type { Hex } from '@dexfeed/dex'
import { hexOf } from '../../chain/abi.ts'
import type { BlockBody } from '../../chain/blocks/body.ts'
import { HoledText } from '../../chain/blocks/holed-text.ts'
import type { MadeChain } from '../../chain/made/made-chain.ts'

interface ShownLog {
  address: string
  topics: readonly string[]
  data: string
  logIndex: string
}

interface ShownReceipt {
  from: string
  type: string
  logs: readonly ShownLog[]
}

interface ShownTransaction {
  value: string
}

/**
 * Blocks as lines of a Portal: the header, and all logs of the transactions with a requested log. The parts that do
 * not depend on a block's place are made once.
 */
export class PortalLines {
  readonly #chain: MadeChain
  /** By the requested topics. Null: no transaction has one. */
  readonly #kept = new Map<string, WeakMap<BlockBody, HoledText | null>>()

  constructor(chain: MadeChain) {
    this.#chain = chain
  }

  /** Returns the line of a block, without its end; null above the head. */
  of(number: number, requested: readonly Hex[]): Buffer | null {
    const block = this.#chain.headerAt(number)
    if (block === null) return null
    const { hash, parentHash, timestamp, body } = block
    const header = `{"header":${JSON.stringify({ number, hash, parentHash: hexOf(parentHash), timestamp })}`
    const rest = this.#restOf(body, requested)
    if (rest === null) return Buffer.from(`${header}}`, 'latin1')
    return Buffer.concat([Buffer.from(header, 'latin1'), rest.fill(this.#chain.placeIn(block))])
  }

  #restOf(body: BlockBody, requested: readonly Hex[]): HoledText | null {
    const key = requested.join()
    const kept = this.#kept.get(key) ?? new WeakMap<BlockBody, HoledText | null>()
    this.#kept.set(key, kept)
    const known = kept.get(body)
    if (known !== undefined) return known
    const made = restText(body, new Set(requested))
    kept.set(body, made)
    return made
  }
}

/** Returns the part of a line after its header. */
function restText(body: BlockBody, requested: ReadonlySet<string>): HoledText | null {
  if (!body.logs.some(({ topic }) => requested.has(topic))) return null
  // The node's texts at any place; a line shows the same values in another shape.
  const nowhere = { number: '0x' as Hex, time: '0x' as Hex, hash: '0x' as Hex, transactionHashes: [] }
  const receipts = JSON.parse(String(body.receipts.fill(nowhere))) as ShownReceipt[]
  const transactions = JSON.parse(String(body.transactions.fill(nowhere))) as ShownTransaction[]
  const shown = receipts.flatMap((receipt, index) =>
    receipt.logs.some(({ topics }) => requested.has(topics[0] ?? '')) ? [{ receipt, index }] : [],
  )
  const text = new HoledText(0).add(',"transactions":[')
  shown.forEach(({ receipt: { from, type }, index }, i) => {
    const value = transactions[index]?.value ?? '0x0'
    text
      .add(`${i === 0 ? '' : ','}{"transactionIndex":${index},"hash":"`)
      .transactionHash(index)
      .add(`","from":"${from}","value":"${value}","type":${Number(type)}}`)
  })
  text.add('],"logs":[')
  const logs = shown.flatMap(({ receipt, index }) => receipt.logs.map((log) => ({ log, index })))
  logs.forEach(({ log: { address, topics, data, logIndex }, index }, i) => {
    text
      .add(`${i === 0 ? '' : ','}{"logIndex":${Number(logIndex)},"transactionIndex":${index},"transactionHash":"`)
      .transactionHash(index)
      .add(`","address":"${address}","topics":${JSON.stringify(topics)},"data":"${data}"}`)
  })
  return text.add(']}').close()
}

import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, hasWords, hasWordsAndLists, uintWord, wordText } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { Totals } from '../../totals.ts'

const TRANSFER = topicOf('event Transfer(address indexed from, address indexed to, uint256 value)')
// ERC-1155. The transfer of an NFT (ERC-721) has the topic of ERC-20's.
const TRANSFER_SINGLE = topicOf(
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
)
const TRANSFER_BATCH = topicOf(
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
)

/** How many of an item (an NFT) moved. */
export interface ItemTransfer {
  contract: Address
  /** Contract and number. */
  item: string
  from: Address
  to: Address
  amount: bigint
}

/** Returns the NFT in a `Transfer` with four topics. */
function nftIn({ address, topics }: Log): ItemTransfer {
  return {
    contract: address,
    item: `${address}${topics[3]}`,
    from: addressTopic(topics, 1),
    to: addressTopic(topics, 2),
    amount: 1n,
  }
}

/** Returns the items that a log of ERC-1155 moves: none for another log, or if it has another shape. */
function itemsIn({ address, topics, data }: Log): ItemTransfer[] {
  if ((topics[0] !== TRANSFER_SINGLE && topics[0] !== TRANSFER_BATCH) || topics.length !== 4) return []
  const from = addressTopic(topics, 2)
  const to = addressTopic(topics, 3)
  /** @param id the place of the number's word */
  const each = (id: number, amount: number) => {
    return { contract: address, item: `${address}${wordText(data, id)}`, from, to, amount: uintWord(data, amount) }
  }
  if (topics[0] === TRANSFER_SINGLE) return hasWords(data, 2) ? [each(0, 1)] : []
  if (!hasWordsAndLists(data, 2, [0, 1])) return []
  const ids = Number(uintWord(data, 2))
  const amounts = Number(uintWord(data, 3 + ids))
  return Array.from({ length: Math.min(ids, amounts) }, (_, at) => each(3 + at, 4 + ids + at))
}

/** Of the first ERC-404 tokens, which gave the topic of ERC-20's `Transfer` to their items. */
const ERC20_TRANSFER = topicOf('event ERC20Transfer(address indexed from, address indexed to, uint256 amount)')

/**
 * Collects the items of a receipt, log by log. Items that are a token's own say nothing beside its transfers:
 *
 * 1. ERC-404: one contract emits both.
 * 2. DN404: a second contract emits the items, directly before the token's transfer between the same accounts. An item
 *    is made or destroyed on either side.
 */
export class ItemCollector {
  readonly #items: ItemTransfer[] = []
  readonly #tokens = new Set<Address>()
  /** Items directly before the next log. */
  #before: ItemTransfer[] = []

  /** @param transfer the ERC-20 transfer in the log; null if it is another event */
  add(log: Log, transfer: { from: Address; to: Address } | null): void {
    const items = transfer === null ? (isNft(log) ? [nftIn(log)] : itemsIn(log)) : []
    if (transfer !== null || log.topics[0] === ERC20_TRANSFER) this.#tokens.add(log.address)
    const [item] = items
    if (item !== undefined && (this.#before[0]?.contract ?? item.contract) === item.contract) {
      for (const itemTransfer of items) this.#before.push(itemTransfer)
      return
    }
    for (const itemTransfer of this.#before) {
      const isMirror = transfer !== null && isBetween(itemTransfer, transfer)
      if (!isMirror) this.#items.push(itemTransfer)
    }
    this.#before = items
  }

  /** Returns the collected items, in log order. */
  all(): ItemTransfer[] {
    return [...this.#items, ...this.#before].filter(({ contract }) => !this.#tokens.has(contract))
  }
}

function isNft({ topics }: Log): boolean {
  return topics[0] === TRANSFER && topics.length === 4
}

function isBetween(item: ItemTransfer, { from, to }: { from: Address; to: Address }): boolean {
  return (item.from === from || item.from === ZERO_ADDRESS) && (item.to === to || item.to === ZERO_ADDRESS)
}

const NO_ACCOUNTS: ReadonlySet<Address> = new Set()

/** Returns the accounts that gave or received items, except those to which all returned. */
export function accountsOfItems(items: readonly ItemTransfer[]): ReadonlySet<Address> {
  if (items.length === 0) return NO_ACCOUNTS
  const nets = new Map<Address, Totals<string>>()
  const move = (account: Address, item: string, amount: bigint) => {
    const ofAccount = nets.get(account) ?? new Totals<string>()
    nets.set(account, ofAccount)
    ofAccount.add(item, amount)
  }
  for (const { item, from, to, amount } of items) {
    move(from, item, -amount)
    move(to, item, amount)
  }
  return new Set([...nets].flatMap(([account, net]) => ([...net.values()].some((sum) => sum !== 0n) ? [account] : [])))
}

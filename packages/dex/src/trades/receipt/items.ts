import { topicOf } from '../../abi/fragment.ts'
import { addressTopic, hasWords, hasWordsAndLists, uintWord, wordText } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'

// ERC-1155. The transfer of an NFT (ERC-721) has the topic of ERC-20's.
const TRANSFER_SINGLE = topicOf(
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
)
const TRANSFER_BATCH = topicOf(
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
)

/** How many of an item (an NFT) moved. */
export interface ItemTransfer {
  /** Contract and number. */
  item: string
  from: Address
  to: Address
  amount: bigint
}

/** Returns the NFT in a `Transfer` with four topics. */
export function nftIn({ address, topics }: Log): ItemTransfer {
  return { item: `${address}${topics[3]}`, from: addressTopic(topics, 1), to: addressTopic(topics, 2), amount: 1n }
}

/** Returns the items that a log of ERC-1155 moves: none for another log, or if it has another shape. */
export function itemsIn({ address, topics, data }: Log): ItemTransfer[] {
  if ((topics[0] !== TRANSFER_SINGLE && topics[0] !== TRANSFER_BATCH) || topics.length !== 4) return []
  const [from, to] = [addressTopic(topics, 2), addressTopic(topics, 3)]
  /** @param id the place of the number's word */
  const one = (id: number, amount: number) => {
    return { item: `${address}${wordText(data, id)}`, from, to, amount: uintWord(data, amount) }
  }
  if (topics[0] === TRANSFER_SINGLE) return hasWords(data, 2) ? [one(0, 1)] : []
  if (!hasWordsAndLists(data, 2, [0, 1])) return []
  const ids = Number(uintWord(data, 2))
  const amounts = Number(uintWord(data, 3 + ids))
  return Array.from({ length: Math.min(ids, amounts) }, (_, at) => one(3 + at, 4 + ids + at))
}

const NO_ACCOUNTS: ReadonlySet<Address> = new Set()

/** Returns the accounts that gave or received items, except those to which all returned. */
export function accountsOfItems(items: readonly ItemTransfer[]): ReadonlySet<Address> {
  if (items.length === 0) return NO_ACCOUNTS
  const nets = new Map<Address, Map<string, bigint>>()
  const move = (account: Address, item: string, amount: bigint) => {
    const ofAccount = nets.get(account) ?? new Map<string, bigint>()
    nets.set(account, ofAccount.set(item, (ofAccount.get(item) ?? 0n) + amount))
  }
  for (const { item, from, to, amount } of items) {
    move(from, item, -amount)
    move(to, item, amount)
  }
  return new Set([...nets].flatMap(([account, net]) => ([...net.values()].some((sum) => sum !== 0n) ? [account] : [])))
}

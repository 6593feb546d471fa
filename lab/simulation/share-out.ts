import { createRandom, type Random } from '@dexfeed/devnet'
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { CONCERNS, type Fault, faultsAt, NOTICED_AT_ONCE, type Proofs, shuffled } from '@dexfeed/fake-node'

/** How many of a network's two nodes serve the receipts of whole blocks. */
const PROVING = [2, 1, 0]

/** How a network's nodes are. */
interface Share {
  network: NetworkName
  /** What each of them shows that proves its blocks. */
  proofs: readonly Proofs[]
  /** The faults that come first. */
  first: readonly Fault[]
}

/**
 * In every run there is a network of which all nodes prove their blocks, one of which one does, and one of which none
 * does; each fault comes first at a network that asks for what it shows in, if there is one. Both follow from the seed.
 */
export function shareOut(seed: number): Share[] {
  const random = createRandom(seed)
  const shares = NETWORK_NAMES.map((network, i) => {
    const proofs = proofsOf(PROVING[(i + seed) % PROVING.length] ?? 0, random)
    return { network, proofs, fit: new Set(metAt(proofs)), first: [] as Fault[] }
  })
  for (const fault of shuffled(NOTICED_AT_ONCE, random)) {
    const fit = shares.filter((share) => share.fit.has(fault))
    const [least] = fit.sort((one, other) => one.first.length - other.first.length)
    least?.first.push(fault)
  }
  return shares
}

/** Two nodes, so many of which serve the receipts of whole blocks. */
function proofsOf(proving: number, random: Random): Proofs[] {
  const others = (): Proofs => (random.next() < 0.5 ? 'receipts' : 'none')
  const nodes = [0, 1].map((node) => (node < proving ? 'block-receipts' : others()))
  return shuffled(nodes, random)
}

/** Where every block is proven, logs and single receipts are asked for seldom. */
function metAt(proofs: readonly Proofs[]): readonly Fault[] {
  const faults = faultsAt(proofs)
  if (proofs.some((shown) => shown !== 'block-receipts')) return faults
  const isSeldom = (fault: Fault) => {
    return !CONCERNS[fault]('eth_call') && ['eth_getLogs', 'eth_getTransactionReceipt'].some(CONCERNS[fault])
  }
  return faults.filter((fault) => !isSeldom(fault))
}

import { createRandom, type Random } from '@dexfeed/devnet'
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { type Fault, faultsAt, isMetBy, type Proofs, shuffled } from '../index.ts'

const PROVING = [2, 1, 0]

interface Assignment {
  network: NetworkName
  proofs: readonly Proofs[]
  first: readonly Fault[]
}

/**
 * Assigns each fault at random to a network that can meet it, as one of its `first` faults. On one network all nodes
 * prove blocks, on another one node does, on the third none does.
 */
export function assignFaults(
  seed: number,
  faults: readonly Fault[],
  networks: readonly NetworkName[] = NETWORK_NAMES,
): Assignment[] {
  const random = createRandom(seed)
  const assignments = networks.map((network, i) => {
    const proofs = proofsOf(PROVING[(i + seed) % PROVING.length] ?? 0, random)
    return { network, proofs, fit: new Set(metAt(proofs)), first: [] as Fault[] }
  })
  for (const fault of shuffled(faults, random)) {
    const fit = assignments.filter((assignment) => assignment.fit.has(fault))
    const [least] = fit.sort((one, other) => one.first.length - other.first.length)
    least?.first.push(fault)
  }
  return assignments
}

function proofsOf(proving: number, random: Random): Proofs[] {
  const others = (): Proofs => (random.next() < 0.5 ? 'receipts' : 'none')
  const nodes = [0, 1].map((node) => (node < proving ? 'block-receipts' : others()))
  return shuffled(nodes, random)
}

/** If every block is proven, logs and single receipts are rarely requested. */
function metAt(proofs: readonly Proofs[]): readonly Fault[] {
  const faults = faultsAt(proofs)
  if (proofs.some((shown) => shown !== 'block-receipts')) return faults
  const isRare = (fault: Fault) => {
    return (
      !isMetBy(fault, 'eth_call') && ['eth_getLogs', 'eth_getTransactionReceipt'].some((one) => isMetBy(fault, one))
    )
  }
  return faults.filter((fault) => !isRare(fault))
}

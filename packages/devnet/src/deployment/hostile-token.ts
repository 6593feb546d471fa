import type { Address, Hex } from '@dexfeed/dex'
import { Interface } from 'ethers'
import artifact from '../../contracts/artifacts/HostileToken.json' with { type: 'json' }
import type { Rpc } from '../node/rpc.ts'

/** What a call gets: these bytes, a revert, a loop that burns all gas, or a megabyte. */
export type HostileAnswer = Hex | 'revert' | 'burn' | 'megabyte'

const MANNERS = { revert: 1, burn: 2, megabyte: 3 } as const
const GAS = '0x989680'

export interface HostileToken {
  address: Address
  /** Sets the response to a selector. Mines a block. */
  answer(selector: Hex, how: HostileAnswer): Promise<void>
  mint(to: Address, amount: bigint): Promise<void>
  transfer(to: Address, amount: bigint): Promise<void>
}

/** Deploys a token that transfers normally and answers other calls as set. Every step mines a block. */
export async function deployHostileToken(rpc: Rpc, from: Address): Promise<HostileToken> {
  const abi = new Interface(artifact.abi)
  const transact = async (transaction: { to?: Address; data: string }) => {
    const [hash] = await rpc.batch<Hex>([
      { method: 'eth_sendTransaction', params: [{ from, gas: GAS, ...transaction }] },
      { method: 'evm_mine', params: [] },
    ])
    const receipt = await rpc.send<{ status: Hex; contractAddress: Address }>('eth_getTransactionReceipt', [hash])
    if (receipt.status !== '0x1') throw new Error(`transaction ${hash} failed`)
    return receipt
  }
  const { contractAddress } = await transact({ data: artifact.bytecode })
  const address = contractAddress.toLowerCase() as Address
  const call = async (name: string, ...args: unknown[]) => {
    await transact({ to: address, data: abi.encodeFunctionData(name, args) })
  }
  return {
    address,
    answer: (selector, how) =>
      how === 'revert' || how === 'burn' || how === 'megabyte'
        ? call('answer', selector, MANNERS[how], '0x')
        : call('answer', selector, 0, how),
    mint: (to, amount) => call('mint', to, amount),
    transfer: (to, amount) => call('transfer', to, amount),
  }
}

import { contractCall } from '../abi/contract-abi.ts'
import { type Address, ZERO_ADDRESS } from '../chain.ts'
import type { Dex } from '../pool.ts'
import type { CallResults, EthCall } from './protocol.ts'

const IS_FROM_FACTORY = contractCall<[boolean]>('function isPoolFromFactory(address pool) view returns (bool)')

export function factoryCalls({ poolFactories = [] }: Dex, contract: Address): EthCall[] {
  return poolFactories.map((to) => ({ to, data: IS_FROM_FACTORY.data(contract) }))
}

export function isFromFactory(replies: CallResults): boolean {
  return replies.some((reply) => IS_FROM_FACTORY.read(reply)?.[0] === true)
}

/** Returns whether every contract is a known rate provider. The zero address stands for a constant rate of 1. */
export function areKnownRates({ rateProviders = [] }: Dex, contracts: readonly Address[]): boolean {
  return contracts.every((contract) => contract === ZERO_ADDRESS || rateProviders.includes(contract))
}

import { createRequire } from 'node:module'
import type { Address } from '../../src/chain/hex.ts'
import type { Artifact, Contract, LocalChain } from '../local-chain.ts'

const { abi, bytecode } = createRequire(import.meta.url)('@uniswap/v4-core/out/mocks/MockERC20.sol/MockERC20.json')
const TOKEN: Artifact = { abi, bytecode: bytecode.object }
/** More than any pool in these tests holds. */
const RICH = 2n ** 200n

export const lower = (address: string) => address.toLowerCase() as Address

export function deployToken(chain: LocalChain, decimals: number): Promise<Contract> {
  return chain.deploy(TOKEN, 'Token', 'TKN', decimals)
}

/** A call in a swap: the contract, its method and the arguments. */
export type Step = readonly [contract: Contract, method: string, ...args: unknown[]]

/** Swaps with the chain's account, reports what it gave and got, and leaves the chain unchanged. */
export class Trader {
  readonly address: string
  readonly #chain: LocalChain

  constructor(chain: LocalChain) {
    this.#chain = chain
    this.address = chain.account
  }

  /** Gives the account more of a token than any swap takes, and approves the spenders. */
  async fund(token: Contract, ...spenders: readonly Contract[]): Promise<void> {
    await token.send('mint', this.address, RICH)
    for (const { address } of spenders) await token.send('approve', address, 2n ** 256n - 1n)
  }

  /** Returns how the account's balances would change, or null if a step reverts. */
  async swap(steps: readonly Step[], tokens: readonly Contract[]): Promise<bigint[] | null> {
    const before = await this.#chain.rpc('evm_snapshot', [])
    try {
      const held = await this.#held(tokens)
      for (const [contract, method, ...args] of steps) await contract.send(method, ...args)
      return (await this.#held(tokens)).map((amount, at) => amount - (held[at] ?? 0n))
    } catch {
      return null
    } finally {
      await this.#chain.rpc('evm_revert', [before])
    }
  }

  async #held(tokens: readonly Contract[]): Promise<bigint[]> {
    return Promise.all(tokens.map(async (token) => BigInt((await token.call('balanceOf', this.address))[0])))
  }
}

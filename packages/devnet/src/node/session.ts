import { type Address, Counts, type Hex, present } from '@dexfeed/dex'
import { getCreateAddress, type Interface } from 'ethers'
import type { Rpc } from './rpc.ts'

const GAS_PRICE = '0x77359400'
const CALL_GAS = 3_000_000
const DEPLOY_GAS = 12_000_000

export interface Artifact {
  bytecode: Hex
  abi: Interface
}

export interface DevTransaction {
  from: Address
  to?: Address
  data: Hex
  value?: bigint
  gas?: number
  mayRevert?: boolean
}

/** Sends transactions from unlocked accounts and mines them. Only one session may write to a chain. */
export interface Session {
  queue(transaction: DevTransaction): void
  deploy(from: Address, artifact: Artifact, args?: readonly unknown[]): Address
  /** Mines the queue as one block. Timestamps must increase. */
  mine(timestamp: number): Promise<void>
  /** Re-reads the nonces of known senders and `others`, because blocks may have been added or rolled back. */
  resync(others?: readonly Address[]): Promise<void>
  readonly mayRevert: ReadonlySet<Hex>
}

export function openSession(rpc: Rpc): Session {
  const nonces = new Counts<Address>()
  const mayRevert = new Set<Hex>()
  let queued: (DevTransaction & { nonce: number })[] = []

  const queue = (transaction: DevTransaction) => {
    const nonce = nonces.of(transaction.from)
    nonces.add(transaction.from)
    queued.push({ ...transaction, nonce })
  }

  return {
    mayRevert,
    queue,
    deploy(from, { abi, bytecode }, args = []) {
      const address = getCreateAddress({ from, nonce: nonces.of(from) }).toLowerCase() as Address
      queue({ from, data: (bytecode + abi.encodeDeploy(args).slice(2)) as Hex, gas: DEPLOY_GAS })
      return address
    },
    async mine(timestamp) {
      const block = queued
      queued = []
      const sends = block.map((transaction) => ({ method: 'eth_sendTransaction', params: [toRequest(transaction)] }))
      // The node runs a batch in order.
      const hashes = await rpc.batch<Hex>([...sends, { method: 'evm_mine', params: [timestamp] }])
      for (const [index, { mayRevert: allowed }] of block.entries()) {
        const hash = hashes[index]
        if (allowed && hash !== undefined) mayRevert.add(hash)
      }
    },
    async resync(others = []) {
      queued = []
      const senders = [...new Set([...nonces.keys(), ...others])]
      const calls = senders.map((sender) => ({ method: 'eth_getTransactionCount', params: [sender, 'latest'] }))
      const counts = await rpc.batch<Hex>(calls)
      for (const [index, sender] of senders.entries()) nonces.set(sender, Number(present(counts[index])))
    },
  }
}

function toRequest({ from, to, data, value = 0n, gas = CALL_GAS, nonce }: DevTransaction & { nonce: number }) {
  return {
    from,
    ...(to === undefined ? {} : { to }),
    data,
    value: `0x${value.toString(16)}`,
    gas: `0x${gas.toString(16)}`,
    gasPrice: GAS_PRICE,
    nonce: `0x${nonce.toString(16)}`,
  }
}

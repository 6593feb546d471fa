import { expect, test } from 'vitest'
import { scriptedChain } from '../../chain/scripted/scripted-chain.ts'
import { scriptedMarket } from '../../chain/scripted/scripted-market.ts'
import { answer } from '../rpc/answer.ts'
import { scriptedView } from './scripted-view.ts'

test('contracts respond at blocks whose state is kept, and a range above the head is empty as on the worst nodes', () => {
  const market = scriptedMarket('polygon', 24)
  const chain = scriptedChain({ market, chainId: 137, seed: 4, startTime: 1_700_000_000, blockTimeS: 2 })
  chain.mine(127)
  const viewNow = () =>
    scriptedView({ chain, blocks: chain.blocks, finalized: 0, showsStateSync: true, proofs: 'none' })
  const view = viewNow()
  const [pool] = market.pools
  const reserves = (at: string, seen = view) =>
    answer(seen, 'eth_call', [{ to: pool?.address, data: '0x0902f1ac' }, at])
  expect(reserves('0x0')).toBe('0x')
  expect(reserves('0x2')).not.toBe(reserves('latest'))
  chain.mine(1)
  const later = viewNow()
  expect(() => reserves('0x0', later)).toThrow(/missing trie node/)
  expect(() => reserves('0x1', later)).not.toThrow()
  const ahead = { fromBlock: '0x1000', toBlock: '0x1001' }
  expect(answer(view, 'eth_getLogs', [ahead])).toEqual([])
})

import { expect, test } from 'vitest'
import { swapTransaction } from './responses.ts'
import { swapJson, writtenToken } from './swap-json.ts'

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

test('a swap is written as the contract says, the coin without an address', () => {
  const coin = writtenToken({ name: 'Ether', symbol: 'ETH', decimals: 18 }, null)
  const usdc = writtenToken({ name: 'USD "Coin"', symbol: 'USDC', decimals: 6 }, USDC)
  const facts = { txHash: `0x${'ab'.repeat(32)}`, blockNumber: 7, sellAmount: '1', buyAmount: '2500000' }
  const swap = swapTransaction.parse(JSON.parse(swapJson({ ...facts, volumeUsd: '2.50000000' }, coin, usdc)))
  expect(swap).toMatchObject({
    block_number: '7',
    sell_token: { address: '', decimals: '18', amount: '1', amount_decimal: '0.000000000000000001' },
    buy_token: {
      name: 'USD "Coin"',
      address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      amount_decimal: '2.50000000',
    },
    trade_volume_usd: '2.50000000',
  })
  expect(JSON.parse(swapJson({ ...facts, volumeUsd: null }, coin, usdc)).trade_volume_usd).toBe('0.00000000')
})

import type { NetworkName, PricedTrade } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { openReplay, readRecording } from './replay-node.ts'

const unpriced = ({ hops, ...trade }: PricedTrade) => {
  const logs = hops.map(({ logIndex }) => logIndex)
  return { ...trade, logs, usdE8: null, hopsUsdE8: [], source: null, flags: 0 }
}

test.each(['eth', 'polygon', 'bsc'] as const)('blocks of %s give the same rows as explain', async (network) => {
  const { explain, index } = await openReplay(readRecording(network))
  const indexed = await index()
  const explained = (await explain()).flatMap(({ trades }) => trades)
  expect(indexed.map(unpriced)).toEqual(explained.map(unpriced))
  expect(indexed.length).toBeGreaterThan(0)
})

type ProvenHop = [network: NetworkName, dex: string, transaction: string, pool: string, amounts: [bigint, bigint]]

const PROVEN: ProvenHop[] = [
  ['eth', 'balancer-v1', '0x4783ba2a', '0x9866772a', [4_871_526_566_626_222_080n, 8_040_744_552_527_259_395n]],
  ['eth', 'dodo', '0x6079e2cd', '0xd84820f0', [22_078_678_185n, 22_007_555_809_177_515_682_274n]],
  ['eth', 'balancer-v1', '0x6079e2cd', '0xe5ac9548', [3_997_930_911_806_364_547_899n, 14_078_633_281_573_347_555n]],
  ['eth', 'maker-psm', '0x756b4f33', '0x89b78cfa', [498_148_186_425_000_000_000_000n, 498_148_186_425n]],
  ['eth', 'shibaswap', '0x12a8f3f9', '0x20e95253', [814_814_814_814_814_848n, 1_105_230_101n]],
  ['eth', 'maverick-v1', '0x2a2ef443', '0x11a653dd', [107_507_479_799_999_842n, 174_952_714n]],
  ['eth', 'maverick-v1', '0xa9539a03', '0x352b1860', [196_000_000n, 120_307_508_052_265_362n]],
  ['eth', 'maker-lite-psm', '0xce4944ff', '0xf6e72db5', [2_972_491_485_000_000_000_000n, 2_972_491_485n]],
  ['polygon', 'dodo', '0xdbe490bb', '0x4b543e89', [18_112_457_331_430_920n, 54_901_590n]],
]

test.each(['eth', 'polygon'] as const)(
  'recorded swaps of %s show what the product reads of each venue',
  async (network) => {
    const names = new Set(PROVEN.map(([, name]) => name))
    const { explain } = await openReplay(readRecording(network))
    const shown = (await explain()).flatMap(({ hash, trades }) =>
      trades
        .flatMap(({ hops }) => hops)
        .filter(({ pool }) => names.has(pool.dex.name))
        .map(({ pool, amountIn, amountOut }) => {
          return [network, pool.dex.name, hash.slice(0, 10), pool.address.slice(0, 10), [amountIn, amountOut]]
        }),
    )
    expect(new Set(shown.map(String))).toEqual(new Set(PROVEN.filter(([of]) => of === network).map(String)))
  },
)

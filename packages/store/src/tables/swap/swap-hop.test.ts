import { expect, it } from 'vitest'
import { emptyStore, filling, following, header, hop, MIDNIGHT, POOL, trade } from '../../../test/rows/sample.ts'
import { database, lease, store, useStore } from '../../../test/rows/scene.ts'
import { tableContents } from '../../../test/rows/table-contents.ts'

useStore('polygon', 4)

const hopRows = async () => (await tableContents(database.pool, ['swap_hop'])).swap_hop
/** Two hops; the value of one of them is unknown. */
const TWO = trade(7, MIDNIGHT + 7, { hops: [hop(POOL, 3), hop(POOL, 5)], hopsUsdE8: [150_000_000n, null] })
const KEY = BigInt(`0x${POOL.address.slice(-16)}`)

it('each hop of a trade is a row, in history and at the head alike, and is deleted with the trade', async () => {
  await store.commit(filling(7, 7, [TWO]))
  const filled = await hopRows()
  const tokens = [POOL.token0, POOL.token1].map((token) => token.slice(2))
  const row = (log: number, usd: string) =>
    `(137,7,0,${log},0,"2026-11-20 00:00:07+00",${KEY},"\\\\x${tokens[0]}",10,"\\\\x${tokens[1]}",20,${usd},0)`
  expect(filled).toEqual([row(3, '1.50000000'), row(5, '')])
  await lease.release()
  const { epoch } = (await emptyStore(database, 'polygon')).lease
  await store.commit(following(epoch, [header(7, MIDNIGHT + 7)], [TWO]))
  expect(await hopRows()).toEqual(filled)
  await store.commit(following(epoch, [header(8, MIDNIGHT + 8)], [{ ...TWO, blockNumber: 8 }]))
  expect(await hopRows()).toHaveLength(4)
  await store.commit(following(epoch, [header(8, MIDNIGHT + 8, 1, 0)], [], { rollbackTo: 7 }))
  expect(await hopRows()).toEqual(filled)
})

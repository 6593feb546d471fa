import { testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { type Lost, openTcpProxy } from '@dexfeed/test-setup/tcp-proxy'
import { expect, inject, test } from 'vitest'
import { byOlderRules } from './scene/older-rules.ts'
import { openTestPlace } from './scene/queue-places.ts'
import { scriptedScene } from './scene/scripted-scene.ts'

/** Matches a statement that changes one of the tables that a commit writes. */
const WRITE =
  /\b(?:INSERT INTO|UPDATE|DELETE FROM|COPY) (?:"public"\.)?"?(?:swap|swap_hop|token_move|(?:pool|token)_candle|block|pool_(?:state|tick)|pool|token|hour_volume|day_(?:total|trader|address_count)|covered_range)\b[^\0]*/
const BEGIN = 'BEGIN\0'
const COMMIT = 'COMMIT\0'
const ROLLBACK = 'ROLLBACK\0'
/**
 * A transaction that is cut off is rolled back, whichever statement came last. So the short tier kills the indexer only
 * where the database would differ: before and after each commit, and after each write outside a transaction. The long
 * tier also kills it after each statement inside a transaction.
 */
const EACH_STATEMENT = inject('scale') > 1

//   indexer -- statement or COMMIT --> database
//           x                         then nothing of this life gets through any more, and another one begins
test('an indexer that dies at any step of a commit ends with the rows of an undisturbed run', async () => {
  const scene = await scriptedScene('polygon', 40)
  const databaseUrl = await testDatabase()
  const place = await openTestPlace('Postgres')
  const proxy = await openTcpProxy(databaseUrl)

  /** Runs an indexer up to the head. Returns the step at which it died, if it did. */
  const live = async (survived: ReadonlySet<string>): Promise<string | null> => {
    /** The first write of each connection's open transaction; empty before it. */
    const first = new WeakMap<object, string>()
    /** Returns the steps of this message at which a life can end, and what is lost then. */
    const stepsOf = (text: string, connection: object): [step: string, lost: Lost][] => {
      if (text.includes(BEGIN)) first.set(connection, '')
      const write = WRITE.exec(text)?.[0]
      const begun = first.get(connection)
      if (begun === '' && write !== undefined) first.set(connection, write)
      if (text.includes(COMMIT) || text.includes(ROLLBACK)) first.delete(connection)
      if (text.includes(COMMIT) && begun) {
        return [
          [`before COMMIT of ${begun}`, 'request'],
          [`after COMMIT of ${begun}`, 'response'],
        ]
      }
      return write !== undefined && (EACH_STATEMENT || begun === undefined) ? [[write, 'response']] : []
    }
    let isDead = false
    const death = new Promise<string>((die) => {
      proxy.loses = (sent, connection) => {
        if (isDead) return 'request'
        const [end] = stepsOf(sent.toString('latin1'), connection).filter(([step]) => !survived.has(step))
        if (end === undefined) return null
        const [step, lost] = end
        isDead = true
        die(step)
        return lost
      }
    })
    const indexer = await scene.index(proxy.url)
    const step = await Promise.race([death, indexer.caughtUp(scene.head()).then(() => null)])
    await indexer.stop()
    // Otherwise the dead worker's job would wait for some seconds.
    await place.flush(databaseUrl)
    return step
  }

  const survived = new Set<string>()
  // Last, mark the rows as made by an older version, and make their blocks final.
  const upgrade = async () => {
    await byOlderRules(databaseUrl, 'polygon')
    scene.mine(24)
  }
  for (const move of [() => undefined, () => scene.mine(3), () => scene.reorg(2, 4), upgrade]) {
    await move()
    for (let step = await live(survived); step !== null; step = await live(survived)) survived.add(step)
  }
  expect(survived.size).toBeGreaterThan(EACH_STATEMENT ? 40 : 12)
  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
}, 200_000)

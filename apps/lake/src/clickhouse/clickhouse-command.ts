import { parseArgs } from 'node:util'
import { type Check, checkLakeEnvironment, command, type LakeSettings, type ProgramContext } from '@dexfeed/service'
import { openLake } from '../objects/open-lake.ts'
import { loadDays } from './load-days.ts'
import { openClickHouse } from './open-clickhouse.ts'

type LoadSettings = LakeSettings & { url: string }

export const run = command('lake:clickhouse', checkLoad, start)

function checkLoad(args: readonly string[]): Check<LoadSettings> {
  return (environment, readFile) => {
    const checked = checkUrl(args)
    const { settings, problems = [] } = checkLakeEnvironment(environment, readFile)
    if (settings === undefined || 'problem' in checked) {
      return { problems: [...('problem' in checked ? [checked.problem] : []), ...problems] }
    }
    return { settings: { ...settings, url: checked.url } }
  }
}

function checkUrl(args: readonly string[]): { url: string } | { problem: string } {
  try {
    const { url = '' } = parseArgs({ args: [...args], options: { url: { type: 'string' } } }).values
    const { protocol, username, password, search } = new URL(url)
    if (!['http:', 'https:'].includes(protocol)) throw new Error('not HTTP')
    if (username + password + search === '') return { url }
    return {
      problem:
        '--url: user and password belong in CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, and nothing follows the path',
    }
  } catch {
    return { problem: '--url: give the address of ClickHouse, such as http://127.0.0.1:8123/database' }
  }
}

async function start({ settings, log, shutdown }: ProgramContext<LoadSettings>): Promise<void> {
  const { objects, close } = openLake(settings.lake, shutdown.signal)
  shutdown.add('lake', close)
  const clickHouse = openClickHouse({ url: settings.url, ...settings.clickHouse }, shutdown.signal)
  shutdown.add('ClickHouse', () => clickHouse.close())
  const isComplete = await loadDays({ clickHouse, objects, log }, shutdown.signal)
  if (isComplete) log.info('ClickHouse has all days of the lake')
  shutdown.begin('loaded', isComplete ? 0 : 1)
}

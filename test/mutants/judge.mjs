// Started by run.mjs with a mutant's id, the configuration of its tests and a database: prints what the tests find.
import { mutantPlugin, readMutants } from './mutate.mjs'
import { openVitest, root, verdictOf } from './vitest.mjs'

const [id, config, postgresUrl] = process.argv.slice(2)
const [mutant] = readMutants([id])
const plugin = mutantPlugin(root, mutant)
const vitest = await openVitest(config, { bail: 1, globalSetup: [], provide: { postgresUrl } }, plugin)
const verdict = await verdictOf(vitest, mutant.killedBy)
await vitest.close()
if (!plugin.isApplied()) console.log(`error: no test loads ${mutant.file}`)
else console.log(verdict === 'passed' ? 'SURVIVED' : verdict.replace(/^failed:/, 'killed:'))
process.exit()

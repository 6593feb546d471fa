// Started by run.mjs with a mutant's id and a database: prints whether the mutant's tests kill it.
import { mutantPlugin, readMutants } from './mutate.mjs'
import { openVitest, root, verdictOf } from './vitest.mjs'

const [id, postgresUrl] = process.argv.slice(2)
const [mutant] = readMutants([id])
const plugin = mutantPlugin(root, mutant)
const database = { globalSetup: [], provide: { postgresUrl } }
const vitest = await openVitest(mutant.killedBy, { bail: 1, ...database }, plugin)
await vitest.start(mutant.killedBy)
const verdict = verdictOf(vitest)
await vitest.close()
if (!plugin.isApplied()) console.log(`error: no test loads ${mutant.file}`)
else console.log({ failed: 'killed', passed: 'SURVIVED' }[verdict] ?? verdict)
process.exit()

// Runs indexer and API on the configured or the embedded Postgres.
import { checkStackEnvironment, runProgram } from '@dexfeed/service'
import { startStack } from './stack.ts'

runProgram('dexfeed', checkStackEnvironment, async (context) => {
  await startStack(context)
})

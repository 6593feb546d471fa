// Compiles the contracts of this folder into artifacts/, which is committed: the compiler is no dependency.
// Run after a change, from anywhere:
//   npx --yes --package solc@0.8.28 node packages/devnet/contracts/compile.mjs
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const VERSION = '0.8.28'
const here = dirname(fileURLToPath(import.meta.url))
const solc = findSolc()
if (!solc.version().startsWith(`${VERSION}+`)) throw new Error(`this is solc ${solc.version()}, not ${VERSION}`)

const sources = {}
for (const file of readdirSync(here).sort()) {
  if (file.endsWith('.sol')) sources[file] = { content: readFileSync(join(here, file), 'utf8') }
}
const input = {
  language: 'Solidity',
  sources,
  settings: {
    evmVersion: 'paris',
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  },
}
const output = JSON.parse(solc.compile(JSON.stringify(input)))
for (const problem of output.errors ?? []) console.error(problem.formattedMessage)
if (output.errors?.some(({ severity }) => severity === 'error')) process.exit(1)

mkdirSync(join(here, 'artifacts'), { recursive: true })
for (const [file, contracts] of Object.entries(output.contracts)) {
  for (const [name, { abi, evm }] of Object.entries(contracts)) {
    if (evm.bytecode.object === '') continue
    const artifact = {
      contractName: name,
      source: file,
      compiler: solc.version(),
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      // Left out where it is not used: immutables make it differ from what is deployed.
      ...(name === 'Multicall3' ? { deployedBytecode: `0x${evm.deployedBytecode.object}` } : {}),
    }
    writeFileSync(join(here, 'artifacts', `${name}.json`), `${JSON.stringify(artifact, null, 2)}\n`)
  }
}

/** npx puts the package's bin folder on PATH, not its modules within reach. */
function findSolc() {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (!folder.endsWith(join('node_modules', '.bin'))) continue
    try {
      return createRequire(join(folder, 'x.js'))('solc')
    } catch {}
  }
  throw new Error('solc is not there: run this through npx, as its first lines say')
}

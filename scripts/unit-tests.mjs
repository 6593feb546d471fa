import { readSources } from './read-sources.mjs'

/** Files that need a database, a chain or a running program. */
const HEAVY =
  /^packages\/test-setup\/src\/database\.ts|^packages\/devnet\/src\/(devnet|node\/)|^(lab|test)\/|\/test\/scene\//
const HEAVY_NAMES = ['startEmbeddedPostgres', 'spawn']

/** Returns the paths of the tests that need no database, no chain and no other process. */
export function unitTests(root) {
  const { files } = readSources(root)
  return [...files.keys()].filter((path) => {
    if (!/^(apps|packages)\/.*\.test\.ts$/.test(path)) return false
    const reached = reachedFrom(path, files)
    return ![...reached].some((file) => HEAVY.test(file) || (isTest(file) && usesHeavyName(files.get(file))))
  })
}

const isTest = (file) => /\.test\.ts$|\/test\//.test(file)
const usesHeavyName = ({ imports }) => imports.some(({ name }) => HEAVY_NAMES.includes(name))

function reachedFrom(path, files, reached = new Set([path])) {
  for (const { target } of files.get(path).imports) {
    if (files.has(target) && !reached.has(target)) reachedFrom(target, files, reached.add(target))
  }
  return reached
}

import { reachedFrom, readSources } from './read-sources.mjs'

/** Modules that need a database, a chain or a running program. */
const HEAVY =
  /^packages\/test-setup\/src\/database\.ts|^packages\/devnet\/src\/(devnet|node\/)|^(lab|test)\/|\/test\/scene\//
const HEAVY_NAMES = ['startEmbeddedPostgres', 'spawn']

/** Returns the paths of the tests that need none of these. */
export function unitTests(root) {
  const { files } = readSources(root)
  const importsOf = (file) => files.get(file).imports.flatMap(({ target }) => (files.has(target) ? [target] : []))
  return [...files.keys()].filter((path) => {
    if (!/^(apps|packages)\/.*\.test\.ts$/.test(path)) return false
    return ![path, ...reachedFrom(path, importsOf)].some(
      (file) => HEAVY.test(file) || (isTest(file) && usesHeavyName(files.get(file))),
    )
  })
}

const isTest = (file) => /\.test\.ts$|\/test\//.test(file)
const usesHeavyName = ({ imports }) => imports.some(({ name }) => HEAVY_NAMES.includes(name))

import fc from 'fast-check'
import { inject } from 'vitest'

// Vitest runs this in each worker.
fc.configureGlobal({ seed: inject('seed') })

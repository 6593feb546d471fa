import { closeFile } from '@dexfeed/test-setup'
import { afterAll } from 'vitest'

// Vitest runs this for each file of tests.
afterAll(closeFile)

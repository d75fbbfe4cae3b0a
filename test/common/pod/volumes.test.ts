import { testsOf } from '../../value-cases/told.ts'
import { VOLUMES } from '../../value-cases/volumes.ts'

describe('the rules on volumes', () => testsOf(VOLUMES))

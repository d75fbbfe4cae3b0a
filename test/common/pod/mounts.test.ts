import { MOUNTS } from '../../value-cases/mounts.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on mounts', () => testsOf(MOUNTS))

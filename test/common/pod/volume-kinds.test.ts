import { testsOf } from '../../value-cases/told.ts'
import { VOLUME_KINDS } from '../../value-cases/volumes.ts'

describe('the rules on kinds of volumes', () => testsOf(VOLUME_KINDS))

import { testsOf } from '../../value-cases/told.ts'
import { VOLUME_FILES } from '../../value-cases/volumes.ts'

describe('the rules on files in volumes', () => testsOf(VOLUME_FILES))

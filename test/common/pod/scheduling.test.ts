import { SCHEDULING } from '../../value-cases/scheduling.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on scheduling', () => testsOf(SCHEDULING))

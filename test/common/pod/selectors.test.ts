import { SELECTORS } from '../../value-cases/scheduling.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on selectors', () => testsOf(SELECTORS))

import { PODS } from '../../value-cases/pods.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on pods', () => testsOf(PODS))

"""What each op does, in words.

A row: the op's name; what it computes (a first line, then what is surprising); its shapes, dtypes
and errors, which most ops share with others; an example, ``{what is printed: the answer}``; and
where its formula is from. ``docstring`` puts a row and the op's formulas together.
"""

from __future__ import annotations

from ..op import Op

# Shapes, dtypes, errors: what several ops have in common.
ONE = "x of any shape; y has the same."
TWO = "x and y broadcast together, and z has the shape that comes of it."
TO_FLOAT = "float16, float32 and float64 stay what they are; whole numbers and bool become float32."
TO_BOOL = "any in, bool out."
KEEPS = "y has the dtype of x."
PROMOTES = (
    "the wider of both; beside whole numbers that of the floats, beside a Python number that\n"
    "    of the Tensor (float32, if the number is a float and the Tensor whole)."
)
_BOOLS = "\n    Two bools make an integer."
WHOLE = "whole numbers and bool in, and the wider of the two out."
NO_NUMBER = "TypeError for what is no number."
NO_MATCH = f"ValueError if the shapes do not broadcast; {NO_NUMBER}"
NO_WHOLE = "ValueError if the shapes do not broadcast; TypeError for floats."

# Kinds of elementwise ops, by what goes in and what comes out.
FLOAT_OF_ONE = (ONE, TO_FLOAT, NO_NUMBER)
FLOAT_OF_TWO = (TWO, "that of x + y if it is a float, else float32.", NO_MATCH)
BOOL_OF_ONE = (ONE, TO_BOOL, NO_NUMBER)
BOOL_OF_TWO = (TWO, TO_BOOL, NO_MATCH)
SAME_OF_ONE = (ONE, KEEPS, NO_NUMBER)
SAME_OR_WIDER = (ONE, f"{KEEPS[:-1]}; bool becomes an integer.", NO_NUMBER)
NO_BOOL = (ONE, KEEPS, "TypeError for bool, and for what is no number.")
SAME_OF_TWO = (TWO, PROMOTES, NO_MATCH)
SAME_OR_WIDER_OF_TWO = (TWO, f"{PROMOTES}{_BOOLS}", NO_MATCH)
WHOLE_OF_TWO = (TWO, WHOLE, NO_WHOLE)

# The other ops.
REDUCED = (
    "the axes (None: all, an int, or several) vanish from that of x, or stay with length 1\n"
    "    if keepdims."
)
SAME = "y has that of x."
TO_INT64 = "floats keep theirs; whole numbers and bool become int64."
TO_SUM = "floats, uint16, uint32 and uint64 keep theirs; other whole numbers and bool become int64."
RUNNING = "y has that of x; it is a row of all entries, if axis is None."
BAD_AXIS = "IndexError for an axis that x does not have; ValueError for one named twice."
ONE_AXIS = "IndexError for an axis that x does not have."
EMPTY = f"{BAD_AXIS[:-1]}, or no entries."
BAD_INDEX = "IndexError for a place that there is not."
IMAGE = "x (batch, channels, *space)"
TILES = "(batch, channels, *counts), as many as windows fit"
NO_WINDOW = "ValueError if x has the wrong number of axes."
SQUARES = "x is (..., n, n)"
NOT_SQUARE = "ValueError if x is no matrix with as many rows as columns."

REDUCTION = (REDUCED, TO_FLOAT, BAD_AXIS)
TRUTH = (REDUCED, TO_BOOL, BAD_AXIS)

# Where formulas are from.
_IVERSON = "Iverson's bracket, as in Knuth, Two notes on notation, 1992."
_IEEE = "IEEE 754-2019."
_KNUTH = "Knuth, The Art of Computer Programming, volume 1, section 1.2.4."
_DEFINITION = "the definition."
_DEEP = "Goodfellow, Bengio and Courville, Deep Learning, 2016, section 3.10."
_LOG_SUM = "Blanchard et al., Accurately computing the log-sum-exp and softmax functions, 2021."
_POWERS, _CIRCLE = "DLMF, section 4.2.", "DLMF, section 4.14."
_ARCS, _HYPERBOLIC, _AREAS = "DLMF, section 4.23.", "DLMF, section 4.28.", "DLMF, section 4.37."
_GILES = (
    "Giles, Collected matrix derivative results for forward and reverse mode algorithmic\n"
    "    differentiation, 2008."
)
_GUIDE = "Dumoulin and Visin, A guide to convolution arithmetic for deep learning, 2016."
_POOLING = "Goodfellow, Bengio and Courville, Deep Learning, 2016, section 9.3."
_COLUMNS = (
    "Chellapilla, Puri and Simard, High performance convolutional neural networks for\n"
    "    document processing, 2006."
)

# Parts of examples.
_MATRIX = "Tensor([[2.0, 1.0], [1.0, 1.0]])"
_STEPS = "(2,), (2,), ((0, 0),), (1,)"  # window, stride, padding, dilation

# fmt: off
DESCRIPTIONS: dict[str, tuple[str, tuple[str, str, str], dict[str, str], str]] = {
    # Arithmetic.
    "add": ("The sum of x and y.", SAME_OF_TWO,
        {"ops.add(Tensor([1.0, 2.0]), 10)": "[11. 12.]"}, _DEFINITION),
    "subtract": ("The difference of x and y.\nOf two bools, as in MindSpore, whether they differ.",
        SAME_OF_TWO, {"ops.sub(Tensor([1.0, 2.0]), 10)": "[-9. -8.]"}, _DEFINITION),
    "multiply": ("The product of x and y, element by element.", SAME_OF_TWO,
        {"ops.mul(Tensor([1.0, 2.0]), Tensor([[3.0], [4.0]]))": "[[3. 6.]\n [4. 8.]]"},
        _DEFINITION),
    "divide": ("The quotient of x and y; a division by 0 gives inf, -inf or nan.", FLOAT_OF_TWO,
        {"rules.elementwise.divide(Tensor([1, 6]), 4)": "[0.25 1.5 ]"}, _DEFINITION),
    "power": ("x to the power n.\nx ** 0 is 1 with gradient 0, at x = 0 too; 0 ** n has gradient 0 "
        "for n.", ("x and n broadcast together, and z has the shape that comes of it.",
        f"{PROMOTES}{_BOOLS}", "ValueError for integers to a negative power; else as for x + n."),
        {"ops.pow(Tensor([2.0, 3.0]), 2)": "[4. 9.]",
         "grad(ops.pow)(Tensor(0.0), 0)": "0.0"}, _POWERS),
    "floor_divide": ("The quotient of x and y, rounded down to a whole number.", SAME_OF_TWO,
        {"ops.floor_div(Tensor([7, -7]), 2)": "[ 3 -4]"}, _KNUTH),
    "mod": ("The rest of x divided by y; it has the sign of y.", SAME_OR_WIDER_OF_TWO,
        {"ops.mod(Tensor([7, -7]), 3)": "[1 2]"}, _KNUTH),
    "fmod": ("The rest of x divided by y; it has the sign of x.", SAME_OR_WIDER_OF_TWO,
        {"ops.fmod(Tensor([7, -7]), 3)": "[ 1 -1]"}, "the function fmod of C (ISO C, <math.h>)."),
    "negative": ("Minus x.", NO_BOOL, {"ops.neg(Tensor([1.0, -2.0]))": "[-1.  2.]"}, _DEFINITION),
    "reciprocal": ("One over x; inf at 0.", FLOAT_OF_ONE,
        {"ops.reciprocal(Tensor([2, -4]))": "[ 0.5  -0.25]"}, _DEFINITION),
    "square": ("x times x.", SAME_OR_WIDER, {"ops.square(Tensor([3.0, -2.0]))": "[9. 4.]"},
        _DEFINITION),
    # Kinks, ties and steps.
    "maximum": ("The larger of x and y.\nWhere both are equal, each gets half of the gradient.",
        SAME_OF_TWO, {"ops.maximum(Tensor([1.0, 5.0]), 3)": "[3. 5.]",
        "grad(ops.maximum)(Tensor(3.0), 3.0)": "0.5"}, _DEFINITION),
    "minimum": ("The smaller of x and y.\nWhere both are equal, each gets half of the gradient.",
        SAME_OF_TWO, {"ops.minimum(Tensor([1.0, 5.0]), 3)": "[1. 3.]",
        "grad(ops.minimum)(Tensor(3.0), 3.0)": "0.5"}, _DEFINITION),
    "abs": ("The absolute value of x; its gradient at 0 is 0.", SAME_OF_ONE,
        {"ops.abs(Tensor([-1.5, 2.0]))": "[1.5 2. ]"}, _DEFINITION),
    "relu": ("x where it is above 0, and 0 elsewhere; its gradient at 0 is 0.", SAME_OF_ONE,
        {"ops.relu(Tensor([-1.5, 2.0]))": "[0. 2.]"},
        "Nair and Hinton, Rectified linear units improve restricted Boltzmann machines, 2010."),
    "clip": ("x, but not below low (a) nor above high (b); None is no bound.\n"
        "The gradient at a bound is 1.",
        (ONE, "y has the dtype that x and the bounds have together.", NO_NUMBER),
        {"rules.elementwise.clip(Tensor([-3.0, 0.5, 3.0]), -1.0, 1.0)": "[-1.   0.5  1. ]",
         "grad(rules.elementwise.clip)(Tensor(1.0), -1.0, 1.0)": "1.0"}, "numpy.clip."),
    "relu6": ("x, but not below 0 nor above 6; its gradient is 0 at 0 and 1 at 6.", SAME_OR_WIDER,
        {"ops.relu6(Tensor([-1.0, 2.0, 9.0]))": "[0. 2. 6.]"},
        "Krizhevsky, Convolutional deep belief networks on CIFAR-10, 2010."),
    "sign": ("-1, 0 or 1: the sign of x.", NO_BOOL,
        {"ops.sign(Tensor([-1.5, 0.0, 2.0]))": "[-1.  0.  1.]"}, _DEFINITION),
    "floor": ("The largest whole number that is not above x.", SAME_OF_ONE,
        {"ops.floor(Tensor([1.5, -1.5]))": "[ 1. -2.]"}, _KNUTH),
    "trunc": ("x without what is behind its point: rounded towards 0.", SAME_OF_ONE,
        {"ops.trunc(Tensor([1.5, -1.5]))": "[ 1. -1.]"}, _IEEE),
    "ceil": ("The smallest whole number that is not below x.", SAME_OF_ONE,
        {"ops.ceil(Tensor([1.5, -1.5]))": "[ 2. -1.]"}, _KNUTH),
    "round": ("The whole number nearest to x; halves go to the even one.", FLOAT_OF_ONE,
        {"rules.elementwise.rint(Tensor([0.5, 1.5, 2.4]))": "[0. 2. 2.]"}, _IEEE),
    # Comparisons and logic.
    "greater": ("Whether x is greater than y.", BOOL_OF_TWO,
        {"ops.greater(Tensor([1, 2, 3]), 2)": "[False False  True]"}, _IVERSON),
    "greater_equal": ("Whether x is greater than y, or equal.", BOOL_OF_TWO,
        {"ops.greater_equal(Tensor([1, 2, 3]), 2)": "[False  True  True]"}, _IVERSON),
    "less": ("Whether x is less than y.", BOOL_OF_TWO,
        {"ops.less(Tensor([1, 2, 3]), 2)": "[ True False False]"}, _IVERSON),
    "less_equal": ("Whether x is less than y, or equal.", BOOL_OF_TWO,
        {"ops.less_equal(Tensor([1, 2, 3]), 2)": "[ True  True False]"}, _IVERSON),
    "equal": ("Whether x and y are equal; nan equals nothing.", BOOL_OF_TWO,
        {"ops.equal(Tensor([1, 2, 3]), 2)": "[False  True False]"}, _IVERSON),
    "not_equal": ("Whether x and y differ; nan differs from everything.", BOOL_OF_TWO,
        {"ops.not_equal(Tensor([1, 2, 3]), 2)": "[ True False  True]"}, _IVERSON),
    "logical_and": ("Whether x and y are both true; numbers are true unless 0.", BOOL_OF_TWO,
        {"ops.logical_and(Tensor([True, True, False]), Tensor([True, False, False]))":
         "[ True False False]"}, _DEFINITION),
    "logical_or": ("Whether x or y or both are true; numbers are true unless 0.", BOOL_OF_TWO,
        {"ops.logical_or(Tensor([True, True, False]), Tensor([True, False, False]))":
         "[ True  True False]"}, _DEFINITION),
    "logical_not": ("Whether x is false; numbers are false if 0.", BOOL_OF_ONE,
        {"ops.logical_not(Tensor([True, False]))": "[False  True]"}, _DEFINITION),
    "logical_xor": ("Whether one of x and y is true, and one alone.", BOOL_OF_TWO,
        {"ops.logical_xor(Tensor([True, True, False]), Tensor([True, False, False]))":
         "[False  True False]"}, _DEFINITION),
    "bitwise_and": ("The bits that x and y both have.", WHOLE_OF_TWO,
        {"ops.bitwise_and(Tensor([6, 5]), 3)": "[2 1]"}, "numpy.bitwise_and."),
    "bitwise_or": ("The bits that x or y or both have.", WHOLE_OF_TWO,
        {"ops.bitwise_or(Tensor([6, 5]), 3)": "[7 7]"}, "numpy.bitwise_or."),
    "bitwise_xor": ("The bits that one of x and y has, and one alone.", WHOLE_OF_TWO,
        {"ops.bitwise_xor(Tensor([6, 5]), 3)": "[5 6]"}, "numpy.bitwise_xor."),
    "left_shift": ("The bits of x moved y places to the left.", WHOLE_OF_TWO,
        {"ops.bitwise_left_shift(Tensor([3, 5]), 1)": "[ 6 10]"}, "numpy.left_shift."),
    "right_shift": ("The bits of x moved y places to the right.", WHOLE_OF_TWO,
        {"ops.bitwise_right_shift(Tensor([6, 5]), 1)": "[3 2]"}, "numpy.right_shift."),
    "signbit": ("Whether x bears a minus sign; -0.0 does too.", BOOL_OF_ONE,
        {"ops.signbit(Tensor([-1.5, 0.0, -0.0]))": "[ True False  True]"}, _IEEE),
    "invert": ("All bits of x turned: -x - 1 of a signed integer, the opposite of a bool.",
        (ONE, "whole numbers and bool in, the same out.", "TypeError for floats."),
        {"ops.invert(Tensor([0, 5]))": "[-1 -6]"}, "numpy.invert."),
    "isnan": ("Whether x is nan.", BOOL_OF_ONE,
        {'ops.isnan(Tensor([1.0, float("nan")]))': "[False  True]"}, _IEEE),
    "isfinite": ("Whether x is neither nan nor infinite.", BOOL_OF_ONE,
        {'ops.isfinite(Tensor([1.0, float("inf")]))': "[ True False]"}, _IEEE),
    "isinf": ("Whether x is inf or -inf.", BOOL_OF_ONE,
        {'ops.isinf(Tensor([1.0, float("-inf")]))': "[False  True]"}, _IEEE),
    "where": ("x where the condition (c) is true, y elsewhere.\n"
        "The gradient goes to the one that was taken; the other gets 0.",
        ("the condition, x and y broadcast together.", PROMOTES, NO_MATCH),
        {"ops.where(Tensor([True, False]), Tensor([1.0, 2.0]), 0.0)": "[1. 0.]"}, "numpy.where."),
    # Exponentials, powers, logarithms.
    "exp": ("The number e to the power x.", FLOAT_OF_ONE,
        {"ops.exp(Tensor([0.0, 1.0]))": "[1. 2.718...]"}, _POWERS),
    "expm1": ("The number e to the power x, less 1; exact where x is near 0.", FLOAT_OF_ONE,
        {"ops.expm1(Tensor([0.0, 1e-10]))": "[0.e+00 1.e-10]"}, _POWERS),
    "log": ("The natural logarithm of x; -inf at 0, nan below.", FLOAT_OF_ONE,
        {"ops.log(Tensor([1.0, 10.0]))": "[0. 2.302...]"}, _POWERS),
    "log1p": ("The natural logarithm of 1 + x; exact where x is near 0.", FLOAT_OF_ONE,
        {"ops.log1p(Tensor([0.0, 1e-10]))": "[0.e+00 1.e-10]"}, _POWERS),
    "log2": ("The logarithm of x with base 2; -inf at 0, nan below.", FLOAT_OF_ONE,
        {"ops.log2(Tensor([1, 8]))": "[0. 3.]"}, _POWERS),
    "log10": ("The logarithm of x with base 10; -inf at 0, nan below.", FLOAT_OF_ONE,
        {"ops.log10(Tensor([1, 1000]))": "[0. 3.]"}, _POWERS),
    "exp2": ("Two to the power x.", FLOAT_OF_ONE, {"ops.exp2(Tensor([0, 3]))": "[1. 8.]"}, _POWERS),
    "logaddexp": ("The logarithm of e ** x + e ** y, without overflow.", FLOAT_OF_TWO,
        {"ops.logaddexp(Tensor(1000.0), Tensor(1000.0))": "1000.693..."}, _LOG_SUM),
    "sqrt": ("The square root of x; nan below 0. Its gradient at 0 is inf.", FLOAT_OF_ONE,
        {"ops.sqrt(Tensor([4, 9]))": "[2. 3.]"}, _POWERS),
    "root": ("The square root of x, as norm and std take it: its gradient at 0 is 0.", FLOAT_OF_ONE,
        {"rules.elementwise.root(Tensor([4, 9]))": "[2. 3.]",
         "grad(rules.elementwise.root)(Tensor(0.0))": "0.0"}, _POWERS),
    "cbrt": ("The cube root of x, of numbers below 0 too. Its gradient at 0 is inf.", FLOAT_OF_ONE,
        {"ops.cbrt(Tensor([8, -27]))": "[ 2. -3.]"}, _POWERS),
    "rsqrt": ("One over the square root of x; inf at 0, nan below.", FLOAT_OF_ONE,
        {"ops.rsqrt(Tensor([4, 16]))": "[0.5  0.25]"}, _POWERS),
    "hypot": ("The longest side of a triangle with a right angle between the sides x and y.\n"
        "The gradient where both are 0 is 0.", FLOAT_OF_TWO,
        {"ops.hypot(Tensor([3.0, 5.0]), Tensor([4.0, 12.0]))": "[ 5. 13.]"},
        "the theorem of Pythagoras."),
    # Circular and hyperbolic functions.
    "sin": ("The sine of x, an angle in radians.", FLOAT_OF_ONE,
        {"ops.sin(Tensor([0.0, 1.0]))": "[0. 0.841...]"}, _CIRCLE),
    "cos": ("The cosine of x, an angle in radians.", FLOAT_OF_ONE,
        {"ops.cos(Tensor([0.0, 1.0]))": "[1. 0.540...]"}, _CIRCLE),
    "tan": ("The tangent of x, an angle in radians.", FLOAT_OF_ONE,
        {"ops.tan(Tensor([0.0, 1.0]))": "[0. 1.557...]"}, _CIRCLE),
    "asin": ("The angle from -pi/2 to pi/2 whose sine is x; nan beyond -1 and 1.", FLOAT_OF_ONE,
        {"ops.asin(Tensor([0.0, 1.0]))": "[0. 1.570...]"}, _ARCS),
    "acos": ("The angle from 0 to pi whose cosine is x; nan beyond -1 and 1.", FLOAT_OF_ONE,
        {"ops.acos(Tensor([1.0, 0.0]))": "[0. 1.570...]"}, _ARCS),
    "atan": ("The angle from -pi/2 to pi/2 whose tangent is x.", FLOAT_OF_ONE,
        {"ops.atan(Tensor([0.0, 1.0]))": "[0. 0.785...]"}, _ARCS),
    "atan2": ("The angle from -pi to pi of the point that lies y to the right and x up.\n"
        "The gradient at the origin is nan.", FLOAT_OF_TWO,
        {"ops.atan2(Tensor([1.0, 0.0]), Tensor([0.0, -1.0]))": "[1.570... 3.141...]"},
        "DLMF, section 1.9: the phase of a complex number."),
    "sinh": ("The hyperbolic sine of x.", FLOAT_OF_ONE,
        {"ops.sinh(Tensor([0.0, 1.0]))": "[0. 1.175...]"}, _HYPERBOLIC),
    "cosh": ("The hyperbolic cosine of x.", FLOAT_OF_ONE,
        {"ops.cosh(Tensor([0.0, 1.0]))": "[1. 1.543...]"}, _HYPERBOLIC),
    "tanh": ("The hyperbolic tangent of x.", FLOAT_OF_ONE,
        {"ops.tanh(Tensor([0.0, 100.0]))": "[0. 1.]"}, _HYPERBOLIC),
    "asinh": ("The number whose hyperbolic sine is x.", FLOAT_OF_ONE,
        {"ops.asinh(Tensor([0.0, 1.0]))": "[0. 0.881...]"}, _AREAS),
    "acosh": ("The number from 0 on whose hyperbolic cosine is x; nan below 1.", FLOAT_OF_ONE,
        {"ops.acosh(Tensor([1.0, 2.0]))": "[0. 1.316...]"}, _AREAS),
    "atanh": ("The number whose hyperbolic tangent is x; nan beyond -1 and 1.", FLOAT_OF_ONE,
        {"ops.atanh(Tensor([0.0, 0.5]))": "[0. 0.549...]"}, _AREAS),
    # Activations.
    "sigmoid": ("The logistic function: from 0 to 1, 0.5 at 0; without overflow.", FLOAT_OF_ONE,
        {"ops.sigmoid(Tensor([-1000.0, 0.0, 1000.0]))": "[0.  0.5 1. ]"}, _DEEP),
    "softsign": ("x over 1 + |x|: from -1 to 1, also for infinities.", FLOAT_OF_ONE,
        {"ops.softsign(Tensor([1.0, -3.0]))": "[ 0.5  -0.75]"},
        "Bergstra, Desjardins, Lamblin and Bengio, Quadratic polynomials learn better image\n"
        "    features, 2009."),
    "softplus": ("A smooth maximum of x and 0, without overflow.", FLOAT_OF_ONE,
        {"rules.elementwise.softplus(Tensor([-1000.0, 1000.0]))": "[   0. 1000.]"},
        _DEEP),
    "elu": ("x where it is above 0, alpha (e ** x - 1) below.", FLOAT_OF_ONE,
        {"ops.elu(Tensor([2.0, -1000.0]))": "[ 2. -1.]"},
        "Clevert, Unterthiner and Hochreiter, Fast and accurate deep network learning by\n"
        "    exponential linear units (ELUs), 2016."),
    "leaky_relu": ("x where it is above 0, alpha x below; its gradient at 0 is (1 + alpha) / 2.",
        FLOAT_OF_ONE, {"ops.leaky_relu(Tensor([2.0, -2.0]), 0.25)": "[ 2.  -0.5]"},
        "Maas, Hannun and Ng, Rectifier nonlinearities improve neural network acoustic\n"
        "    models, 2013."),
    # The error function, the gamma function and their kin.
    "erf": ("The error function.", FLOAT_OF_ONE,
        {"ops.erf(Tensor([0.0, 1.0]))": "[0. 0.842...]"}, "DLMF, section 7.2."),
    "erfc": ("One less the error function, exact where that is near 1.", FLOAT_OF_ONE,
        {"ops.erfc(Tensor([0.0, 1.0]))": "[1. 0.157...]"}, "DLMF, section 7.2."),
    "erfinv": ("The number whose error function is x; inf at 1, nan beyond -1 and 1.", FLOAT_OF_ONE,
        {"ops.erfinv(Tensor([0.0, 0.5]))": "[0. 0.476...]"}, "DLMF, section 7.17."),
    "lgamma": ("The logarithm of the absolute value of the gamma function; that of (x - 1)!.",
        FLOAT_OF_ONE, {"ops.lgamma(Tensor([1.0, 3.0]))": "[0. 0.693...]"},
        "DLMF, section 5.2."),
    "digamma": ("The derivative of the logarithm of the gamma function.", FLOAT_OF_ONE,
        {"ops.digamma(Tensor([1.0]))": "[-0.577...]"}, "DLMF, section 5.2."),
    "polygamma": ("The n-th derivative of digamma, for a whole n from 1 on.",
        (ONE, TO_FLOAT, f"{NO_NUMBER[:-1]}; for n below 1 nan comes out."),
        {"rules.special.polygamma(Tensor([1.0]), 1)": "[1.644...]"}, "DLMF, section 5.15."),
    # Reductions.
    "sum": ("The sum of the entries along the axes.",
        (REDUCED, TO_SUM, BAD_AXIS),
        {"rules.reduce.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0)": "[4. 6.]"}, _DEFINITION),
    "mean": ("The sum of the entries along the axes over their number n.", REDUCTION,
        {"rules.reduce.mean(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0)": "[2. 3.]"}, _DEFINITION),
    "cumsum": ("The sums of the first 1, 2, 3 ... entries along an axis.",
        (RUNNING, f"{KEEPS[:-1]}; bool becomes int64.", ONE_AXIS),
        {"rules.reduce.cumsum(Tensor([1.0, 2.0, 4.0]), 0)": "[1. 3. 7.]"}, "numpy.cumsum."),
    "amax": ("The largest entry along the axes.\n"
        "Entries that tie share the gradient: # is how many they are.", (REDUCED, KEEPS, EMPTY),
        {"rules.reduce.amax(Tensor([1.0, 3.0, 3.0]))": "3.0",
         "grad(rules.reduce.amax)(Tensor([1.0, 3.0, 3.0]))": "[0.  0.5 0.5]"}, _DEFINITION),
    "amin": ("The smallest entry along the axes.\n"
        "Entries that tie share the gradient: # is how many they are.", (REDUCED, KEEPS, EMPTY),
        {"rules.reduce.amin(Tensor([1.0, 1.0, 3.0]))": "1.0",
         "grad(rules.reduce.amin)(Tensor([1.0, 1.0, 3.0]))": "[0.5 0.5 0. ]"}, _DEFINITION),
    "argmax": ("The place of the largest entry along an axis, or of all; of the first, if several "
        "tie.", (REDUCED, "any in, int64 out.", f"{ONE_AXIS[:-1]}; ValueError for no entries."),
        {"rules.reduce.argmax(Tensor([[1.0, 3.0, 3.0]]), 1)": "[1]"}, "numpy.argmax."),
    "argmin": ("The place of the smallest entry along an axis, or of all; of the first, if several "
        "tie.", (REDUCED, "any in, int64 out.", f"{ONE_AXIS[:-1]}; ValueError for no entries."),
        {"rules.reduce.argmin(Tensor([[4.0, 1.0, 1.0]]), 1)": "[1]"}, "numpy.argmin."),
    "argsort": ("The places of the entries along an axis in order, from the smallest, or largest.\n"
        "Entries that tie stay in their order; nan counts as the largest.",
        (SAME, "any in, int64 out.", ONE_AXIS),
        {"rules.reduce.places_in_order(Tensor([3.0, 1.0, 2.0]), 0, False)": "[1 2 0]"},
        "numpy.argsort, kind \"stable\"."),
    "any": ("Whether an entry along the axes is true; numbers are true unless 0.", TRUTH,
        {"rules.reduce.any(Tensor([[0, 1], [0, 0]]), 1)": "[ True False]"}, _DEFINITION),
    "all": ("Whether all entries along the axes are true; numbers are true unless 0.", TRUTH,
        {"rules.reduce.all(Tensor([[0, 1], [1, 1]]), 1)": "[False  True]"}, _DEFINITION),
    "cumprod": ("The products of the first 1, 2, 3 ... entries along an axis.\n"
        "The gradient is right across zeros too.", (RUNNING, TO_INT64, ONE_AXIS),
        {"rules.reduce.cumprod(Tensor([2.0, 3.0, 4.0]), 0)": "[ 2.  6. 24.]"}, "numpy.cumprod."),
    "prod": ("The product of the entries along the axes.\n"
        "The gradient is right across zeros too.", (REDUCED, TO_SUM, BAD_AXIS),
        {"rules.reduce.prod(Tensor([[2.0, 3.0], [4.0, 5.0]]), 1)": "[ 6. 20.]"},
        _DEFINITION),
    "cross_entropy": ("Minus the logarithm of the softmax at the label (k), without overflow.",
        ("x (rows, classes), labels (rows,); y (rows,).", f"labels are whole;\n    {TO_FLOAT}",
         "IndexError for a label that is no class, or another number of labels than of rows."),
        {"rules.reduce.cross_entropy(Tensor([[1000.0, 1000.0]]), Tensor([0]))": "[0.693...]"},
        "Bishop, Pattern Recognition and Machine Learning, 2006, section 4.3.4."),
    "logsumexp": ("The logarithm of the sum of e ** x along the axes, without overflow.\n"
        "Where all entries are -inf it is -inf, with gradient 0.", REDUCTION,
        {"rules.reduce.logsumexp(Tensor([1000.0, 1000.0]))": "1000.693..."}, _LOG_SUM),
    "softmax": ("e ** x over its sum along an axis, without overflow.", (SAME, TO_FLOAT, ONE_AXIS),
        {"rules.reduce.softmax(Tensor([1000.0, 1000.0]))": "[0.5 0.5]"}, _LOG_SUM),
    "log_softmax": ("The logarithm of the softmax along an axis, without overflow.",
        (SAME, TO_FLOAT, ONE_AXIS),
        {"ops.log_softmax(Tensor([1000.0, 1000.0]))": "[-0.693... -0.693...]"}, _LOG_SUM),
    # Moving values.
    "identity": ("x itself, as the result of an op.", (SAME, KEEPS, "nothing."),
        {"ops.identity(Tensor([1.0, 2.0]))": "[1. 2.]"}, _DEFINITION),
    "stop_gradient": ("x itself, but no gradient flows back through it.",
        (SAME, KEEPS, "nothing."),
        {"grad(lambda x: x * rules.shape.stop_gradient(x))(Tensor(3.0))": "3.0"}, _DEFINITION),
    "cast": ("x with another dtype.\nThe gradient comes back in the dtype of x; that of a cast to "
        "whole numbers is 0.", (SAME, "any in, the one that is asked for out.",
        "TypeError for a dtype that no Tensor can have."),
        {'ops.cast(Tensor([1.7, -1.7]), "int32")': "[ 1 -1]"}, "numpy.ndarray.astype."),
    "reshape": ("The entries of x in another shape, in the same order.",
        ("as many entries as x has; one length may be -1, which is then found out.", KEEPS,
         "ValueError if the numbers of entries differ."),
        {"ops.reshape(Tensor([1, 2, 3, 4]), (2, 2))": "[[1 2]\n [3 4]]"}, "numpy.reshape."),
    "transpose": ("x with its axes in another order; in reverse, if no order is given.",
        ("axis i of y is axis axes[i] of x.", KEEPS,
         "ValueError if axes does not name each axis once."),
        {"rules.shape.transpose(Tensor([[1, 2], [3, 4]]))": "[[1 3]\n [2 4]]"},
        "numpy.transpose."),
    "swapaxes": ("x with two of its axes exchanged.", ("that of x with two lengths exchanged.",
        KEEPS, ONE_AXIS), {"ops.swapaxes(Tensor([[1, 2], [3, 4]]), 0, 1)": "[[1 3]\n [2 4]]"},
        "numpy.swapaxes."),
    "broadcast_to": ("x repeated to a larger shape; its gradient is summed over what was repeated.",
        ("any to which that of x broadcasts.", KEEPS, "ValueError if x does not broadcast to it."),
        {"rules.shape.broadcast_to(Tensor([1, 2]), (2, 2))": "[[1 2]\n [1 2]]"},
        "numpy.broadcast_to."),
    "concatenate": ("Arrays set one behind the other along an axis.",
        ("those of xs differ along the axis alone; there y has the sum of their lengths.",
         "the widest of them.", "ValueError if other lengths differ, or for no array; IndexError "
         "for an axis\n    that there is not."),
        {"rules.shape.concatenate([Tensor([1, 2]), Tensor([3])])": "[1 2 3]"},
        "numpy.concatenate."),
    "pad": ("x with a value around it; widths is a pair (before, after) for each axis.",
        ("that of x, and both widths more along each axis.", KEEPS,
         "ValueError for a width below 0, or another number of pairs than of axes."),
        {"rules.shape.pad(Tensor([1, 2]), ((1, 2),), 0)": "[0 1 2 0 0]"}, "numpy.pad."),
    # Picking and putting.
    "getitem": ("The entries of x at an index (i), as x[index]; an entry picked twice gets both "
        "gradients.", ("numpy's: an int takes an axis away, None adds one.", KEEPS, BAD_INDEX),
        {"rules.index.getitem(Tensor([1, 2, 3]), slice(0, 2))": "[1 2]"},
        'numpy\'s manual, "Indexing on ndarrays".'),
    "scatter": ("Zeros, but x at an index (i); what is put in one place twice is added up.",
        ("x as a shape indexed so; y has the shape that is asked for.", KEEPS,
         f"ValueError if x does not broadcast to the index; {BAD_INDEX}"),
        {"rules.index.scatter(Tensor([1.0, 2.0]), slice(0, 2), (3,))": "[1. 2. 0.]"},
        "numpy.add.at."),
    "assign": ("x, but the value (v) at an index (i).\n"
        "Where two values are put in one place the last one stays, and gets the gradient.",
        ("y has that of x; the value broadcasts to x[index].", KEEPS,
         f"ValueError if the value does not broadcast so; {BAD_INDEX}"),
        {"rules.index.assign(Tensor([1.0, 2.0]), 5.0, 0)": "[5. 2.]"},
        'numpy\'s manual, "Indexing on ndarrays".'),
    "put_along_axis": ("Zeros, but x at the places that indices names along an axis; added up, if "
        "twice.",
        ("x and indices as many axes as y; y has the shape that is asked for.", KEEPS, BAD_INDEX),
        {"rules.index.put_along(Tensor([5.0, 7.0]), Tensor([2, 2]), 0, (3,))": "[ 0.  0. 12.]"},
        "numpy.add.at."),
    "take_along_axis": ("The entries of x at the places that indices names along an axis.",
        ("indices as many axes as x, and y has its shape.", KEEPS,
         f"ValueError if the numbers of axes differ; {BAD_INDEX}"),
        {"rules.index.take_along(Tensor([5.0, 7.0]), Tensor([1, 1, 0]), 0)": "[7. 7. 5.]"},
        "numpy.take_along_axis."),
    # Matrices.
    "matmul": ("The matrix product of x and y.",
        ("x (..., n, k), y (..., k, m), z (..., n, m); the axes in front broadcast.\n"
         "    One axis alone is a row on the left, a column on the right, and vanishes.", PROMOTES,
         "ValueError if the inner lengths differ, or for a single number."),
        {"ops.matmul(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]))": "[[11.]]"}, _GILES),
    "dense": ("x times the weights turned, and the bias: a layer without its activation.",
        ("x (..., in), w (out, in), b (out,); z (..., out).", "one for all three, and z.",
         "ValueError if the lengths do not match."),
        {"rules.linear.dense(Tensor([[1.0, 2.0]]),\n"
         "...     Tensor([[3.0, 4.0]]), Tensor([5.0]))": "[[16.]]"},
        _GILES),
    "inverse": ("The inverse of a matrix.", (f"{SQUARES}, and so is y.", TO_FLOAT,
        f"ValueError for a singular matrix; {NOT_SQUARE}"),
        {f"ops.inverse({_MATRIX})": "[[ 1. -1.]\n [-1.  2.]]"}, _GILES),
    "solve": ("The z for which x @ z is y.", (f"{SQUARES}, y (n,) or (..., n, m); z has that of y.",
        TO_FLOAT, "ValueError for a singular matrix, or if the lengths differ."),
        {f"rules.linalg.solve({_MATRIX}, Tensor([3.0, 2.0]))": "[1. 1.]"}, _GILES),
    "det": ("The determinant of a matrix.", (f"{SQUARES}, y (...).", TO_FLOAT, NOT_SQUARE),
        {f"ops.det({_MATRIX})": "1.0"}, _GILES),
    "logabsdet": ("The logarithm of a determinant's absolute value.", (f"{SQUARES}, y (...).",
        TO_FLOAT, NOT_SQUARE),
        {"rules.linalg.logabsdet(Tensor([[1.0, 0.0], [0.0, -1.0]]))": "0.0"}, _GILES),
    "signdet": ("The sign of a determinant; its gradient is 0.", (f"{SQUARES}, y (...).", TO_FLOAT,
        NOT_SQUARE), {"rules.linalg.signdet(Tensor([[1.0, 0.0], [0.0, -1.0]]))": "-1.0"}, _GILES),
    "cholesky": ("The lower triangle Y for which Y @ Y.T is x, a symmetric matrix.",
        (f"{SQUARES}, and so is y.", TO_FLOAT, "ValueError unless x is positive definite."),
        {"rules.linalg.cholesky(Tensor([[4.0, 2.0], [2.0, 2.0]]))": "[[2. 0.]\n [1. 1.]]"},
        "Murray, Differentiation of the Cholesky decomposition, 2016."),
    "svd": ("The singular values S of a matrix, and its singular vectors U and V as columns.\n"
        "Vectors of equal values can be turned into each other: their gradient counts as 0.",
        ("x (..., m, n); S (..., k), U (..., m, k), V (..., n, k), k the smaller of m and n;\n"
         "    if full, U and V are square.", TO_FLOAT,
         "ValueError if x has fewer than two axes; by the gradient, if full and m is not n."),
        {"rules.linalg.svd(Tensor([[0.0, 2.0], [3.0, 0.0]]))[0]": "[3. 2.]"},
        "Townsend, Differentiating the singular value decomposition, 2016."),
    "qr": ("The factors of a matrix: Q with columns at right angles, of length 1; a triangle R.",
        ("x (..., m, n); Q (..., m, k), R (..., k, n), k being the smaller of m and n; m if full.",
         TO_FLOAT, "ValueError if x has fewer than two axes; by the gradient, if full and m > n."),
        {"ops.abs(rules.linalg.qr(Tensor([[3.0], [4.0]]))[1])": "[[5.]]"},
        "Walter and Lehmann, Algorithmic differentiation of linear algebra functions with\n"
        "    application in optimum experimental design, 2010."),
    "pinv": ("The pseudo-inverse of a matrix.\n"
        "Singular values up to atol, or rtol times the largest, count as 0. The rank counts as "
        "fixed.",
        ("x (..., m, n), y (..., n, m).", TO_FLOAT, "ValueError if x has fewer than two axes."),
        {"rules.linalg.pinv(Tensor([[2.0, 0.0], [0.0, 0.0]]))": "[[0.5 0. ]\n [0.  0. ]]"},
        "Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares\n"
        "    problems whose variables separate, 1973."),
    "contract": ("The sum of products that the letters say: a of x, b of y, to of what comes out.",
        ("a letter for each axis, of one length wherever it stands.", PROMOTES,
         "ValueError if letters and axes do not match."),
        {'rules.linalg.contract(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), "i", "i", "")': "11.0"},
        "numpy.einsum."),
    # Windows that slide over images.
    "convolve": ("The sum of products of the weights with each window of an image.",
        (f"{IMAGE}, w (out, channels / groups, *window); z (batch, out, *counts).", PROMOTES,
         "ValueError if the channels do not match or no window fits."),
        {"rules.conv.convolve(Tensor([[[1.0, 2.0, 4.0]]]), Tensor([[[1.0, 1.0]]]),\n"
         "...     (1,), ((0, 0),), (1,), 1)": "[[[3. 6.]]]"}, _GUIDE),
    "convolve_back": ("Each x times the weights, added up where its window lies: convolve turned.",
        ("x (batch, out, *counts), w as for convolve; z has the shape that is asked for.", PROMOTES,
         "ValueError if the shapes do not match."),
        {"rules.conv.convolve_back(Tensor([[[3.0, 6.0]]]), Tensor([[[1.0, 1.0]]]), (1, 1, 3),\n"
         "...     (1,), ((0, 0),), (1,), 1)": "[[[3. 9. 6.]]]"}, _GUIDE),
    "correlate": ("For each weight the sum of products of x with the y of the windows that it met.",
        (f"{IMAGE}, y (batch, out, *counts); z has the shape of the weights.",
         "one for both, and z.", "ValueError if the shapes do not match."),
        {"rules.conv.correlate(Tensor([[[1.0, 2.0, 4.0]]]), Tensor([[[1.0, 1.0]]]), (1, 1, 2),\n"
         "...     (1,), ((0, 0),), (1,), 1)": "[[[3. 6.]]]"}, _GUIDE),
    "unfold": ("The windows of an image, written out as columns.",
        (f"{IMAGE}; y (batch, channels * entries of a window, windows).", KEEPS, NO_WINDOW),
        {f"rules.conv.unfold(Tensor([[[1.0, 2.0, 3.0, 4.0]]]), {_STEPS})":
         "[[[1. 3.]\n  [2. 4.]]]"}, _COLUMNS),
    "fold": ("Columns added up where their windows lie: unfold turned.",
        ("x as what unfold makes; y (batch, channels, *space).", KEEPS,
         "ValueError if there is another number of windows."),
        {f"rules.conv.fold(Tensor([[[1.0, 3.0], [2.0, 4.0]]]), (4,), {_STEPS})":
         "[[[1. 2. 3. 4.]]]"}, _COLUMNS),
    "gather_windows": ("The sum of each window's entries, weighted (w).",
        (f"{IMAGE}, weights (*window, batch, channels, *counts);\n    z {TILES}.", KEEPS,
         NO_WINDOW), {f"rules.pool.gather_windows(Tensor([[[1.0, 2.0, 3.0, 4.0]]]),\n"
         f"...     ops.full((2, 1, 1, 2), 0.5).asnumpy(), {_STEPS})":
         "[[[1.5 3.5]]]"}, _POOLING),
    "spread_windows": ("Each x, weighted (w), added to its window: gather_windows turned.",
        (f"x {TILES};\n    z has the shape that is asked for.", KEEPS, NO_WINDOW),
        {f"rules.pool.spread_windows(Tensor([[[1.0, 3.0]]]),\n"
         f"...     ops.full((2, 1, 1, 2), 0.5).asnumpy(), (1, 1, 4), {_STEPS})":
         "[[[0.5 0.5 1.5 1.5]]]"}, _POOLING),
    "first_of_largest": ("Which entry of each window is the largest, the first of those that tie.",
        (f"{IMAGE}, largest {TILES};\n    w (\\*window, batch, channels, \\*counts).",
         "any in, bool out.", NO_WINDOW),
        {f"rules.pool.first_of_largest(Tensor([[[1.0, 2.0, 4.0, 3.0]]]),\n"
         f"...     Tensor([[[2.0, 4.0]]]), {_STEPS}).shape": "(2, 1, 1, 2)"},
        _POOLING),
    "max_pool": ("The largest entry of each window.\n"
        "The first of several that tie gets all of the gradient.",
        (f"{IMAGE}; z {TILES}.", KEEPS, NO_WINDOW),
        {f"rules.pool.max_pool(Tensor([[[1.0, 2.0, 4.0, 3.0]]]), {_STEPS})": "[[[2. 4.]]]"},
        _POOLING),
    "standardize": ("x less its mean along the axes, over its standard deviation there.\n"
        "eps is added to the variance, so that it is not 0.", (SAME, TO_FLOAT, ONE_AXIS),
        {"rules.normalize.standardize(Tensor([[1.0, 3.0]]), (1,), 0.0)": "[[-1.  1.]]"},
        "Ioffe and Szegedy, Batch normalization, 2015."),
}
# fmt: on


def docstring(op: Op) -> str:
    """An op's description and formulas, as ``help`` shows them."""
    words, (shapes, dtypes, raises), examples, source = DESCRIPTIONS[op.name]
    formulas = [f"gradient of {x}: {text}" for x, text in op.rule_formulas.items()]
    if not op.cuts:
        formulas[-1] += "   (a bar marks a gradient)"
    called = [f"{x} is {name}" for x, name in getattr(op, "called", {}).items() if x != name]
    names = [f"{op.formula}   ({', '.join(called)})" if called else op.formula]
    lines = "\n    ".join(["", *names, *(formulas or ["no gradient"])])
    code = "\n".join(f">>> print({call})\n{printed}" for call, printed in examples.items())
    names = [name for name in ("Tensor", "grad", "ops", "rules") if name in code]
    return f"""{words}
{lines}

Shapes: {shapes}
Dtypes: {dtypes}
Raises {raises}

>>> from minigrad import {", ".join(names)}
{code}

Source: {source}
"""

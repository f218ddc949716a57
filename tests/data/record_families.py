"""Record in `families.json` what a real MindSpore computes: more families of ops, as `record_ops.py`.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand, in
an environment of its own that has MindSpore, when cases are added:

    python tests/data/record_families.py

Inputs, values and gradients are stored in the form that `record_ops.py` describes, which also does
the work. Where MindSpore has no kernel on the CPU (`einsum`, `roll`, `layer_norm` ...), nothing is
recorded, and `tests/ops` compares with numpy.
"""

import json
import platform
from pathlib import Path

import mindspore as ms
import numpy as np
import record_ops
from record_ops import draw, record, rounded

square = draw(3, 3) + 2 * np.eye(3, dtype=np.float32)
INPUTS = {
    "im": draw(2, 4, 6, 5),
    "ke": draw(6, 4, 3, 2),
    "kg": draw(6, 2, 3, 3),
    "bb": draw(6),
    "sq": draw(2, 3, 7),
    "ks": draw(4, 3, 3),
    "vo": draw(1, 2, 4, 4, 3),
    "kv": draw(2, 2, 2, 2, 2),
    "mm": draw(3, 4),
    "nn": draw(3, 4)[::-1].copy() + np.float32(0.5),
    "uu": draw(3, 4, low=0.2, high=3.0),
    "pp": draw(3, 4, low=0.05, high=0.95),
    "tt": draw(2, 3, 4),
    "vv": draw(4),
    "gg": draw(4, low=0.5, high=2.0),
    "rr": np.zeros(4, np.float32),
    "ss": draw(4, low=0.5, high=2.0)[::-1].copy(),
    "cc": square,
    "pd": (square @ square.T).astype(np.float32),
    "ka": np.float32([-6, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 6]),
    "ti": np.float32([[1, 3, 3, 2], [2, 2, 1, 2], [0, -1, 0, -1]]),
    "wh": np.array([[3, -4, 5], [-7, 2, 0]]),
    "wj": np.array([2, 3, -2]),
    "bo": np.array([[True, False, True, False]] * 2 + [[False, False, True, True]]),
    "ii": np.array([[0, 1], [2, 3], [0, 1]]),
    "jj": np.array([2, 0, 2]),
    "ta": np.float32([[[[1, 1, 2, 2], [1, 1, 0, 2], [3, -1, 0, 0], [-1, 3, 0, 0]]]]),
    "lo": np.float32([3, 1, 2, 0] * 16),
    "up": draw(3),
    "ur": draw(3, 2),
}
# These gradients are wrong in MindSpore, and not recorded: of the statistics of an inference, of
# slices with a negative step or a mask, of rows written in place or assigned, of mnp.select, of labels
# and class weights (all 0), of looked up rows, of a turned inverse, of the Primitive SeLU, of values
# that are overwritten or multiplied twice at one place, and of a cross entropy with labels that do not
# add up to 1. `tests/ops/test_true_gradients.py` holds the true ones.
WRONG = {
    "BatchNorm()(im, vv": "rr",
    "BatchNorm()(im": "ss",
    "batch_norm(im, rr": "rr",
    "batch_norm(im": "ss",
    "strided_slice": "mm",
    "tensor_scatter_update(mm, ii": "up",
    "tensor_scatter_mul": "up",
    "tensor_scatter_div": "up",
    "ops.inplace_": "mm",
    "inplace_": "nn",
    "SigmoidCrossEntropy": "pp",
    "NLLLoss": "gg",
    "KLDivLoss": "pp",
    "SeLU": "ka",
    "Assign()(": "nn",
    "EmbeddingLookup": "mm",
    "MatrixInverse(True)": "cc",
    "StridedSlice(begin": "mm",
    "mnp.select": "mm",
    "np.select": "nn",
    "SoftmaxCrossEntropy": "mm",
    "SoftmaxCross": "pp",
}
POOLS = ["2", "2, 1", "3, 2, 1", "(3, 2), (2, 1)", "3, 2, 1, 1, True"]
EXPRESSIONS = [
    # Convolution and pooling.
    *[f"ops.conv2d(im, ke{a})" for a in ("", ", stride=2", ", stride=(1, 2)", ", pad_mode='same'", ", pad_mode='same', stride=2")],
    *[f"ops.conv2d(im, ke{a})" for a in (", pad_mode='pad', padding=1", ", pad_mode='pad', padding=(1, 2)", ", dilation=2", ", dilation=(1, 2)")],
    *[f"ops.conv2d(im, ke, bb{a})" for a in ("", ", 2, 'pad', 1", ", (2, 1), 'same'")],
    *[f"ops.conv2d(im, kg, groups=2{a})" for a in ("", ", stride=2, pad_mode='same'", ", pad_mode='pad', padding=2, dilation=2")],
    *["ops.conv1d(sq, ks)", "ops.conv1d(sq, ks, stride=2, pad_mode='pad', padding=1)", "ops.conv1d(sq, ks, pad_mode='same', dilation=2)"],
    *["ops.conv3d(vo, kv)", "ops.conv3d(vo, kv, stride=2)", "ops.conv3d(vo, kv, pad_mode='same')"],
    "ops.Conv2D(6, (3, 2), pad_mode='pad', pad=1, stride=2)(im, ke)", "ops.Conv2D(6, 3, pad_mode='same', group=2)(im, kg)",
    "ops.Conv2DTranspose(4, (3, 2))(ops.conv2d(im, ke), ke, (2, 4, 6, 5))",
    *[f"ops.max_pool2d(im, {a})" for a in POOLS], "ops.max_pool2d(im, 2, return_indices=True)", "ops.max_pool2d(ta, 2)", "ops.max_pool2d(ta, 3, 1, 1, return_indices=True)", "ops.MaxPool(2, 1)(ta)", "ops.max_pool2d(im, 2, 3, 1, 1, True, True)", "ops.avg_pool2d(im, 2, 3, 1, True)", "ops.adaptive_max_pool2d(ta, 2)", "ops.max_pool2d(im, 3, 2, 1, return_indices=True)",
    *[f"ops.avg_pool2d(im, {a})" for a in ("2, 2", "3, 2, 1", "(3, 2), (2, 1)", "3, 2, 1, True", "3, 2, 1, False, False", "3, 2, 1, True, False", "2, 2, 0, False, True, 3")],
    *["ops.avg_pool1d(sq, 2, 2)", "ops.avg_pool1d(sq, 3, 2, 1)", "ops.avg_pool1d(sq, 3, 2, 1, False, False)", "ops.avg_pool3d(vo, 2, 1)", "ops.max_pool3d(vo, 2, 1)"],
    *["ops.MaxPool(2, 2)(im)", "ops.MaxPool(3, 2, 'same')(im)", "ops.AvgPool(2, 2)(im)", "ops.AvgPool(3, 2, 'same')(im)"],
    *[f"ops.adaptive_avg_pool2d(im, {a})" for a in ("1", "3", "(2, 3)", "(None, 2)", "(4, 4)")], "ops.adaptive_avg_pool1d(tt, 2)", "ops.adaptive_avg_pool3d(vo, (2, 2, 3))",
    *["ops.adaptive_max_pool2d(im, (2, 3))", "ops.adaptive_max_pool2d(im, 4)", "ops.adaptive_max_pool1d(tt, 2)", "ops.unfold(im, 2)", "ops.unfold(im, 3, 1, 1, 2)"],
    *["ops.lp_pool2d(ops.abs(im) + 1, 2, 2)", "ops.pixel_shuffle(im, 2)", "ops.pixel_unshuffle(im[:, :, :, :4], 2)", "ops.channel_shuffle(im, 2)"],
    *["ops.interpolate(im, (3, 10))", "ops.interpolate(im, (9, 8), mode='bilinear')", "ops.interpolate(im, (9, 8), mode='bilinear', align_corners=True)"],
    # Norms, dropout.
    *["ops.LayerNorm()(mm, vv, gg)[0]", "ops.LayerNorm(epsilon=0.1)(mm, vv, gg)[0]", "ops.LayerNorm(2, 2)(tt, vv, gg)[0]", "ops.LayerNorm(1, -1)(tt, vv, gg)[0]"],
    *["ops.BatchNorm(is_training=True)(im, vv, gg, rr, ss)[0]", "ops.BatchNorm()(im, vv, gg, rr, ss)[0]", "ops.BatchNorm(True, 0.1)(mm, vv, gg, rr, ss)[0]"],
    *["ops.batch_norm(im, rr, ss, vv, gg)", "ops.batch_norm(mm, rr, ss, vv, gg, training=True)", "ops.group_norm(im, 2)", "ops.group_norm(im, 4, vv, gg)"],
    *["ops.L2Normalize()(mm)", "ops.L2Normalize(1)(mm)", "ops.dropout(mm, 0.0)", "ops.dropout(mm, training=False)", "ops.BiasAdd()(im, vv)", "ops.bias_add(mm, vv)"],
    # Linear algebra.
    *["ops.inverse(cc)", "ops.matrix_solve(cc, mm)", "ops.matrix_solve(cc, mm, True)", "ops.det(cc)", "ops.slogdet(cc)", "ops.logdet(pd)", "ops.cholesky(pd)", "ops.cholesky(pd, True)"],
    *["ops.matrix_power(cc, 3)", "ops.matrix_power(cc, -1)", "ops.matrix_power(cc, 0)", "ops.pinv(mm)", "ops.mm(cc, mm)", "ops.mv(mm, vv)", "ops.dot(cc, mm)", "ops.dot(cc, tt)"],
    *["ops.inner(mm, nn)", "ops.vecdot(mm, nn)", "ops.kron(cc, mm)", "ops.kron(vv, mm)", "ops.cross(cc, pd)", "ops.cross(mm, nn)", "ops.addmm(mm, cc, nn)", "ops.addmm(mm, cc, nn, beta=0.5, alpha=2)"],
    *["ops.addmv(up, mm, vv)", "ops.addr(mm, up, vv)", "ops.baddbmm(tt, tt[:, :, :3], tt)", "ops.addbmm(mm, tt[:, :, :3], tt)", "ops.ger(up, vv)", "ops.dist(mm, nn)", "ops.dist(mm, nn, 1)", "ops.cdist(mm, nn)"],
    *[f"ops.norm(mm, {a})" for a in ("1", "-1", "float('inf')", "-float('inf')", "'fro'", "1, 1", "float('inf'), 0", "3, 1", "0, 1", "1, (1, 0)", "1, 1, True")],
    *["ops.norm(vv, 1)", "ops.norm(vv, float('inf'))", "ops.norm(vv, 3)", "ops.norm(tt, 1, (1, 2))", "ops.vector_norm(mm, 1)", "ops.vector_norm(mm, 2, 1)", "ops.matrix_norm(tt)", "ops.matrix_norm(tt, 1)"],
    # Elements.
    *[f"ops.{f}(ka)" for f in "trunc frac sgn signbit hardshrink softshrink fast_gelu exp2 isposinf".split()],
    *["ops.threshold(ka, 0.5, 9.0)", "ops.tanhshrink(ka / 3)", "ops.softmin(mm)", "ops.softmin(mm, 0)", "ops.glu(mm)", "ops.glu(mm.T, 0)", "ops.GeLU()(ka)", "ops.hardshrink(ka, 1.0)", "ops.softshrink(ka, 1.0)"],
    *[f"ops.{f}(uu)" for f in "log10 lgamma digamma".split()], *[f"ops.{f}(pp)" for f in "erf erfc erfinv logit deg2rad rad2deg".split()], "ops.lgamma(ka + 0.25)", "ops.logit(pp, 0.3)",
    *["ops.fmod(mm, uu)", "ops.fmod(wh, wj)", "ops.remainder(mm, uu)", "ops.remainder(wh, wj)", "ops.floor_mod(wh, wj)", "ops.truncate_div(wh, wj)", "ops.truncate_div(mm, uu)", "ops.floor_divide(wh, wj)"],
    *["ops.logaddexp(mm, nn)", "ops.logaddexp2(mm, nn)", "ops.addcdiv(mm, nn, uu)", "ops.addcdiv(mm, nn, uu, 0.5)", "ops.addn([mm, nn, uu])", "ops.copysign(mm, nn)", "ops.heaviside(ka, Tensor(0.5))"],
    *["ops.xdivy(ti, uu)", "ops.float_power(uu, 2)", "ops.polygamma(Tensor(1), uu)", "ops.subtract(mm, nn, alpha=2)", "ops.nan_to_num(Tensor([float('nan'), float('inf'), -float('inf'), 1.0]))", "ops.isclose(mm, mm + 1e-6)", "ops.approximate_equal(mm, nn)"],
    *["ops.bitwise_left_shift(wh, 2)", "ops.bitwise_right_shift(wh, 1)", "ops.is_floating_point(mm)", "ops.numel(mm)"],
    # Sorting and counting.
    *["ops.sort(mm)", "ops.sort(mm, 0)", "ops.sort(ti)", "ops.sort(ti, descending=True)", "ops.sort(wh, 1)", "ops.argsort(mm, 0)", "ops.argsort(ti, descending=True)", "ops.msort(mm)", "ops.sort(lo)", "ops.argsort(lo)", "ops.argsort(lo, descending=True)"],
    *["ops.topk(mm, 2)", "ops.topk(mm, 2, 0)", "ops.topk(mm, 3, largest=False)", "ops.topk(ti, 3)", "ops.topk(tt, 2, 1)", "ops.top_k(mm, 2)", "ops.TopK()(mm, 1)", "ops.Sort(0, True)(mm)", "ops.median(mm)", "ops.median(ti, 0)"],
    *["ops.cummax(mm, 0)", "ops.cummax(ti, 1)", "ops.cummin(mm, -1)", "ops.cummin(ti, 0)", "ops.logcumsumexp(mm, 1)", "ops.logcumsumexp(tt, 0)", "ops.aminmax(mm)", "ops.aminmax(mm, axis=1, keepdims=True)"],
    *["ops.unique(wh)", "ops.unique(ti)", "ops.unique_consecutive(jj, True, True)", "ops.nonzero(ti)", "ops.argwhere(bo)", "ops.count_nonzero(ti)", "ops.count_nonzero(ti, 1)", "ops.bincount(jj)", "ops.searchsorted(Tensor([1.0, 2.0, 3.0]), uu)"],
    *["ops.std_mean(mm)", "ops.var_mean(mm, 1)", "ops.nansum(mm)", "ops.nanmean(mm, 1)", "ops.trapz(mm)", "ops.trapz(mm, vv)", "ops.cov(mm)", "ops.diff(mm)", "ops.diff(mm, axis=0)", "ops.diff(vv, prepend=up, append=gg)"],
    *["ops.amax(mm, 1, initial=0.5)", "ops.amin(mm, initial=0.0, where=bo)", "ops.CumSum(True, True)(mm, 1)", "ops.CumSum()(mm, 0)", "ops.CumProd(True)(mm, 1)", "ops.CumProd(False, True)(mm, 0)"],
    # Turning, cutting, stacking.
    *["ops.rot90(mm, 1, (0, 1))", "ops.rot90(tt, 2, (0, 2))", "ops.rot90(tt, -1, (1, 2))", "ops.diagonal(mm)", "ops.diagonal(tt, -1, 1, 2)", "ops.diag_embed(mm)", "ops.diag_embed(mm, -1)", "ops.diagflat(mm, 1)"],
    *["ops.block_diag(mm, cc)", "ops.movedim(tt, 0, 2)", "ops.moveaxis(tt, (0, 1), (2, 0))", "ops.t(mm)", "ops.fliplr(mm)", "ops.flipud(mm)", "ops.reverse(tt, [0, 2])", "ops.hstack((mm, cc))", "ops.vstack((vv, mm))"],
    *["ops.dstack((mm, nn))", "ops.column_stack((up, mm))", "ops.tensor_split(mm, 3, 1)", "ops.tensor_split(mm, (1, 3), 1)", "ops.hsplit(mm, 2)", "ops.vsplit(mm, 3)", "ops.narrow(mm, 1, 1, 2)", "ops.unstack(mm, 1)"],
    *["ops.expand_as(up.reshape(3, 1), mm)", "ops.atleast_1d(vv[0])", "ops.atleast_2d(vv)", "ops.atleast_3d(mm)", "ops.repeat_elements(mm, 2, 1)", "ops.cartesian_prod(up, vv)", "ops.combinations(vv)", "ops.vander(vv)"],
    *["ops.slice(mm, (0, 1), (2, 3))", "ops.strided_slice(mm, (0, 3), (3, 0), (1, -2))", "ops.pad(mm, (1, 2), mode='reflect')", "ops.pad(tt, (1, 2), mode='replicate')", "ops.pad(im, (1, 2, 2, 1), mode='circular')"],
    *["ops.pad(im, (1, 2, 2, 0), mode='reflect')", "ops.pad(mm, (-1, 2))", "ops.mirror_pad(mm, Tensor([[1, 1], [2, 0]]), 'SYMMETRIC')", "ops.Pad(((1, 0), (0, 2)))(mm)", "ops.one_hot(jj, 3, axis=0)", "ops.tril_indices(3, 4)", "ops.triu_indices(3, 4, 1)"],
    # Picking and writing.
    *["ops.gather_nd(mm, ii)", "ops.gather_nd(tt, Tensor([[0, 1], [1, 2]]))", "ops.gather(mm, Tensor([[0, 1], [2, 0], [3, 3]]), 1, 1)", "ops.gather_d(mm, 1, ii)", "ops.select(bo, mm, nn)", "mm.take(jj)", "mm.take(jj, 1)"],
    *[f"ops.tensor_scatter_{f}(mm, ii, up)" for f in "update add sub mul div max min".split()], "ops.tensor_scatter_update(mm, Tensor([[1], [0]]), nn[:2])", "ops.tensor_scatter_max(mm, Tensor([[1], [1]]), nn[:2])",
    *["ops.scatter_nd(ii, up, (3, 4))", "ops.scatter_nd(Tensor([[1], [0], [1]]), ur, (3, 2))", "ops.tensor_scatter_elements(mm, ii, ur, 1)", "ops.tensor_scatter_elements(mm, ii[:2] % 3, ur[:2], 0, 'add')", "mm.scatter(1, ii, ur)"],
    *["ops.index_fill(mm, 1, Tensor([0, 2], ms.int32), 5.0)", "ops.inplace_add(mm, nn[:2], (0, 2))", "ops.inplace_update(mm, nn[:2], (2, 0))", "ops.select_scatter(mm, vv, 0, 1)", "ops.slice_scatter(mm, nn[:1], 0, 1, 2)"],
    *["ops.diagonal_scatter(cc, up)", "mm.masked_scatter(bo, nn)", "ops.unsorted_segment_sum(mm, jj, 3)", "ops.unsorted_segment_max(mm, jj // 2, 2)", "ops.unsorted_segment_min(ti, jj // 2, 2)", "ops.unsorted_segment_prod(mm, jj, 3)", "ops.sequence_mask(jj, 3)"],
    # Losses of Primitive classes.
    *["ops.SoftmaxCrossEntropyWithLogits()(mm, pp)[0]", "ops.SigmoidCrossEntropyWithLogits()(mm, pp)", "ops.L2Loss()(mm)", "ops.SmoothL1Loss()(mm, nn)", "ops.NLLLoss()(mm, Tensor([1, 3, 0], ms.int32), gg)", "ops.BCEWithLogitsLoss()(mm, pp, ops.ones_like(mm), ops.ones_like(mm))"],
    # Primitive classes that call a function, or nearly so.
    *["ops.AdaptiveAvgPool2D(2)(im)", "ops.AddN()([mm, nn])", "ops.Addcdiv()(mm, nn, uu, Tensor(0.5))", "ops.Addcmul()(mm, nn, uu, Tensor(0.5))", "ops.ApproximateEqual(0.5)(mm, nn)", "ops.ArgMaxWithValue(1)(mm)", "ops.ArgMinWithValue(1, True)(mm)", "ops.Argmin(1)(mm)"],
    *["ops.Assign()(ms.Parameter(mm), nn)", "ops.AssignAdd()(ms.Parameter(mm), nn)", "ops.AssignSub()(ms.Parameter(mm), nn)", "ops.BinaryCrossEntropy()(pp, pp * 0.5, uu * 0 + 1)", "ops.BitwiseAnd()(wh, wj)", "ops.BitwiseOr()(wh, wj)", "ops.BitwiseXor()(wh, wj)"],
    *[f"ops.{c}(ka)" for c in ("CeLU(2.0)", "Elu()", "FastGeLU()", "HShrink(1.0)", "HSigmoid()", "HSwish()", "SeLU()", "SoftShrink(1.0)", "Softplus()", "Softsign()", "Trunc()", "Round()", "Rint()", "Identity()", "StopGradient()", "IsNan()", "IsInf()", "IsFinite()")],
    *[f"ops.{c}(uu)" for c in ("Lgamma()", "Digamma()", "Inv()", "Mish()")], *[f"ops.{c}(pp)" for c in ("Erf()", "Erfc()", "Erfinv()")], *[f"ops.{c}(mm)" for c in ("Flatten()", "Size()", "Rank()", "Trace()", "Tril()", "Triu(1)", "NonZero()", "GLU()", "Unstack(1)", "Split(1, 2)", "ReverseV2([1])")],
    *["ops.Cholesky()(pd)", "ops.Conv3D(2, (2, 2, 2))(vo, kv)", "ops.Cummax(1)(mm)", "ops.Cummin(1)(mm)", "ops.Diag()(vv)", "ops.DivNoNan()(mm, ti)", "ops.MulNoNan()(mm, ti)", "ops.EmbeddingLookup()(mm, jj, 0)", "ops.EmbeddingLookup()(mm, Tensor([[1, 3]]), 1)", "ops.Fill()(ms.float32, (2, 3), 1)"],
    *[f"ops.{c}()(wh, wj)" for c in ("FloorMod", "TruncateDiv")], *[f"ops.{c}()(wh, wj * wj)" for c in ("LeftShift", "RightShift")], *[f"ops.{c}()(mm, nn)" for c in ("Fmax", "Hypot", "TensorAdd")], *[f"ops.{c}()(ti, uu)" for c in ("Xdivy", "Xlogy")], "ops.TruncateMod()(mm, uu)",
    *["ops.GatherD()(mm, 1, ii)", "ops.GatherNd()(mm, ii)", "ops.Heaviside()(ka, Tensor(0.5))", "ops.Invert()(wh.astype(ms.int16))", "ops.IsClose()(mm, nn)", "ops.KLDivLoss()(mm, pp)", "ops.Lerp()(mm, nn, 0.3)", "ops.LinSpace()(Tensor(0.0), Tensor(1.0), 5)"],
    *["ops.LogMatrixDeterminant()(cc)", "ops.LogicalXor()(bo, bo)", "ops.LpNorm(1)(mm)", "ops.LpNorm([0, 1], 1, True)(mm)", "ops.MaskedFill()(mm, bo, 2.0)", "ops.MaskedSelect()(mm, bo)", "ops.MatrixDeterminant()(cc)", "ops.MatrixInverse()(cc)", "ops.MatrixInverse(True)(cc)", "ops.MatrixSolve(True)(cc, mm)"],
    *["ops.Meshgrid('ij')((vv, up))", "ops.MirrorPad('SYMMETRIC')(mm, Tensor([[1, 1], [2, 0]]))", "ops.PReLU()(mm, gg)", "ops.Polygamma()(Tensor(1), uu)", "ops.Range()(Tensor(0), Tensor(7), Tensor(2))", "ops.ReduceAll()(bo)", "ops.ReduceAny(True)(bo, 1)", "ops.ScalarToTensor()(1.5)", "ops.Slice()(mm, (0, 1), (2, 3))"],
    *["ops.ScatterAdd()(ms.Parameter(mm), Tensor([0, 0], ms.int32), nn[:2])", "ops.ScatterUpdate()(ms.Parameter(mm), Tensor([2, 0], ms.int32), nn[:2])", "ops.ScatterNd()(ii, up, (3, 4))", "ops.SquareSumAll()(mm, nn)", "ops.StridedSlice()(mm, (0, 1), (3, 4), (2, 1))", "ops.StridedSlice(begin_mask=1, shrink_axis_mask=2)(mm, (1, 2), (2, 3), (1, 1))"],
    *[f"ops.TensorScatter{f}()(mm, ii[:2], up[:2])" for f in "Update Add Sub Mul Div Max Min".split()], "ops.TensorScatterElements(1, 'add')(mm, ii, ur)", "ops.Unique()(wj)", *[f"ops.UnsortedSegment{f}()(mm, jj // 2, 2)" for f in "Sum Max Min Prod".split()],
    # minigrad.numpy.
    *["mnp.pad(mm, 1)", "mnp.pad(mm, ((1, 0), (2, 1)))", "mnp.roll(mm, 1)", "mnp.roll(mm, (1, 2), (0, 1))", "mnp.tensordot(mm, nn, ((0, 1), (0, 1)))", "mnp.cross(cc, pd)", "mnp.average(mm, 1)", "mnp.average(mm, weights=uu)"],
    *["mnp.split(mm, 2, 1)", "mnp.array_split(vv, 3)", "mnp.repeat(mm, 2, 1)", "mnp.unique(wh)", "mnp.ptp(mm, 1)", "mnp.cbrt(uu)", "mnp.diag(vv, 1)", "mnp.rollaxis(tt, 2)", "mnp.array([1, 2])", "mnp.arange(3)", "mnp.full((2,), 3)"],
    *["mnp.take_along_axis(mm, Tensor([[0], [1], [3]]), 1)", "mnp.select([bo, mm > 0], [mm, nn])", "mnp.meshgrid(vv, up)", "mnp.norm(mm, 1)", "mnp.multi_dot((cc, mm, vv))", "mnp.trapz(mm)", "mnp.isin(wh, wj)", "mnp.tri(3, 4, 1)"],
    # Dtypes of whole numbers and bools, arrays without entries or axes, arguments that were missing.
    *[f"ops.{f}(Tensor([1, 2, 100], ms.{d}){a})" for f, a in (("cumsum", ", 0"), ("cumprod", ", 0"), ("prod", ""), ("sum", "")) for d in "int8 uint8 int16 uint16 int32".split()],
    *[f"{f}(Tensor([[1, 2], [3, 100]], ms.{d}))" for f in ("ops.trace", "mnp.trace") for d in ("int8", "uint8", "int32")], "mm.trace(-1)", "mnp.trace(tt, 1, 1, 2)", "mm.cumsum()", "mm.mean(1, keep_dims=True)",
    *[f"Tensor([1, 2, 100], ms.{d}).cumsum(0)" for d in "bool_ int8 uint16 int64".split()], *[f"mnp.cumprod(Tensor([1, 2, 100], ms.{d}))" for d in "int16 uint8 int64".split()], "mnp.cumsum(Tensor([[1, 2], [3, 4]], ms.int16))",
    *[f"ops.{c}()(Tensor([1, 2, 100], ms.int8), 0)" for c in "CumSum CumProd ReduceSum ReduceProd".split()], "ops.ReduceSum(True)(wh.astype(ms.int32), 1)", "ops.reduce_sum(wh.astype(ms.int32))", "ops.ReduceSum()(bo)",
    *["~wh", "~mm", "~bo", "bo - bo", "bo - True", "ops.subtract(bo, bo)", "ops.subtract(bo, True)", "bo // (bo | True)", "Tensor([False, True]) // True", "ops.relu(bo)", "ops.tril(bo)", "ops.triu(bo, 1)"],
    *["ops.hardtanh(wh)", "ops.hardtanh(Tensor([0, 3], ms.uint8))", "ops.clip_by_value(wh, -3.0, 2.0)", "ops.clip_by_value(wh, 1)", *[f"ops.div(wh, {y}, rounding_mode='{r}')" for y in ("wj", "2", "2.5") for r in ("floor", "trunc")]],
    *["ops.softmax(mm[:0], 0)", "ops.softmax(mm[:, :0])", "ops.log_softmax(mm[:0], 0)", "ops.max(Tensor(2.0), 0)", "ops.min(Tensor(2.0), -1, True)", "Tensor(2.0).max(axis=0)", "ms.Parameter(3)", "ms.Parameter(3.0)"],
    *["ops.fmax(mm, nn)", "ops.fmax(ti, ti * 1)", "mnp.eye(2, 3, 1)", "mnp.vander(vv, 3, True)", "mnp.linspace(1, 10, 4, endpoint=False)", "mnp.linspace(0, 1, 5, retstep=True)", "mnp.nanmax(mm, 1)", "mnp.nanmin(mm)", "mnp.round(mm, 1)"],
    *["mnp.sign(wh)", "mnp.trunc(wh)", "mnp.where(bo, 1, 0)", "mnp.where(bo, 1.5, 0)", "mnp.float_power(uu, nn)"],
    # Singular values, and what is made of them. The signs of the vectors are LAPACK's, not MindSpore's.
    *["ops.svd(mm, compute_uv=False)", "ops.Svd()(tt)[0]", "ops.qr(mm)", "ops.qr(mm.T)", "ops.qr(mm.T, 'complete')", "ops.Qr()(cc)", "ops.lstsq(mm.T, vv)", "ops.lstsq(mm, nn)", "ops.cond(cc)", "ops.cond(cc, 1)"],
    *["ops.matrix_norm(mm, 2)", "ops.matrix_norm(mm, -2)", "ops.matrix_norm(mm, 'nuc')", "ops.norm(mm, 2)", "ops.norm(tt, 'nuc', (0, 2))", "ops.matrix_norm(tt, 2, keepdims=True)", "ops.pinv(Tensor([[1.0, 2.0], [2.0, 4.0]]))", "ops.pinv(tt)"],
    # What cannot be: only that it raises.
    *["ops.conv2d(im, kg)", "ops.conv2d(im, ke, padding=1)", "ops.conv2d(im, ke, pad_mode='full')", "ops.conv2d(mm, ke)", "ops.conv2d(im[:, :, :2], ke)", "ops.max_pool2d(im, 2, 2, 2)", "ops.max_pool2d(mm, 2)", "ops.avg_pool2d(mm, 2)"],
    *["ops.inverse(mm)", "ops.det(mm)", "ops.mm(mm, nn)", "ops.cross(vv, vv)", "ops.topk(mm, 5)", "ops.sort(mm, 2)", "ops.glu(cc)", "ops.pad(tt, (9, 0), mode='reflect')", "ops.pad(mm, (1, 1), 'mirror')", "ops.norm(mm, 'x')", "ops.gather_nd(mm, Tensor([[0, 9]]))"],
    *["ops.group_norm(im, 3)", "ops.dropout(mm, 1.5)", "ops.narrow(mm, 1, 3, 2)", "ops.hsplit(mm, 0)", "ops.LayerNorm()(mm, up, up)", "ops.MaxPool(2, 2, 'full')", "ops.BatchNorm()(im, up, up, up, up)", "ops.scatter_nd(ur, up, (3, 4))", "ops.randint(3, 3, (2,))"],
]  # fmt: skip

if __name__ == "__main__":
    ms.runtime.launch_blocking()  # else an error shows in a later expression
    record_ops.INPUTS, record_ops.WRONG = INPUTS, WRONG
    versions = {"mindspore": ms.__version__, "numpy": np.__version__, "python": platform.python_version()}
    inputs = {n: {"dtype": str(v.dtype), "shape": v.shape, "data": rounded(v)} for n, v in INPUTS.items()}
    cases = ",\n".join(json.dumps(record(expression)) for expression in EXPRESSIONS)
    text = f'{{\n"versions": {json.dumps(versions)},\n"inputs": {json.dumps(inputs)},\n"cases": [\n{cases}\n]\n}}\n'
    Path(__file__).with_name("families.json").write_text(text)

// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IErc20, IPair, IConcentratedPool, IWrapped} from "./Interfaces.sol";

/// Router for what no npm package has a router for: PancakeSwap V3, routes that mix pool kinds, and routes split over
/// branches. Trusts its callers, so it is for local chains only.
contract DevRouter {
    struct Hop {
        address pool;
        /// True for Uniswap V3 kinds; false for a Uniswap V2 pair with a fee of 0.3 %.
        bool concentrated;
        address tokenIn;
        address tokenOut;
    }

    struct Branch {
        uint256 amountIn;
        Hop[] hops;
    }

    uint160 private constant MIN_SQRT_RATIO = 4295128739;
    uint160 private constant MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342;

    IWrapped public immutable wrapped;

    /// Liquidity by keccak256(owner, pool, tickLower, tickUpper).
    mapping(bytes32 => uint128) public liquidityOf;

    constructor(address wrappedNative) {
        wrapped = IWrapped(wrappedNative);
    }

    receive() external payable {}

    /// Sells exact amounts over one or several branches that begin with the same token and end with the same token.
    /// Coins sent along are wrapped and sold in place of the sender's tokens. With `nativeOut`, unwraps what was
    /// bought.
    function swap(Branch[] calldata branches, uint256 minOut, bool nativeOut)
        external
        payable
        returns (uint256 amountOut)
    {
        address tokenIn = branches[0].hops[0].tokenIn;
        address tokenOut = branches[0].hops[branches[0].hops.length - 1].tokenOut;
        uint256 left = msg.value;
        if (left > 0) wrapped.deposit{value: left}();
        for (uint256 i; i < branches.length; i++) {
            if (msg.value > 0) left -= branches[i].amountIn;
            uint256 amount = msg.value > 0 ? branches[i].amountIn : _pull(tokenIn, branches[i].amountIn);
            amountOut += _swapBranch(branches[i].hops, amount, tokenIn, tokenOut);
        }
        require(left == 0, "value is not the sum of the branches");
        require(amountOut >= minOut, "too little received");
        if (nativeOut) {
            wrapped.withdraw(amountOut);
            (bool sent,) = msg.sender.call{value: amountOut}("");
            require(sent, "coins refused");
        } else {
            IErc20(tokenOut).transfer(msg.sender, amountOut);
        }
    }

    /// Returns what `amountIn` would buy over a route that visits no pool twice. Changes nothing, so use it in an
    /// eth_call.
    function quote(Hop[] calldata hops, uint256 amountIn) external returns (uint256 amount) {
        amount = amountIn;
        for (uint256 i; i < hops.length; i++) {
            amount = hops[i].concentrated ? _quoteConcentrated(hops[i], amount) : _quotePair(hops[i], amount);
        }
    }

    /// Borrows `amount` of one side of a pair and pays it back with the fee, in the same token.
    function flash(IPair pair, address token, uint256 amount) external {
        uint256 fee = (amount * 3) / 997 + 1;
        IErc20(token).transferFrom(msg.sender, address(this), fee);
        bool zero = token == pair.token0();
        pair.swap(zero ? amount : 0, zero ? 0 : amount, address(this), abi.encode(token, amount + fee));
    }

    /// Adds liquidity for the sender between two ticks, paid from the sender's balance.
    function mint(IConcentratedPool pool, int24 tickLower, int24 tickUpper, uint128 liquidity) external {
        liquidityOf[keccak256(abi.encode(msg.sender, pool, tickLower, tickUpper))] += liquidity;
        bytes memory data = abi.encode(pool.token0(), pool.token1(), msg.sender);
        pool.mint(address(this), tickLower, tickUpper, liquidity, data);
    }

    /// Removes liquidity of the sender, with its fees.
    function burn(IConcentratedPool pool, int24 tickLower, int24 tickUpper, uint128 liquidity) external {
        liquidityOf[keccak256(abi.encode(msg.sender, pool, tickLower, tickUpper))] -= liquidity;
        pool.burn(tickLower, tickUpper, liquidity);
        pool.collect(msg.sender, tickLower, tickUpper, type(uint128).max, type(uint128).max);
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        _paySwap(amount0, amount1, data);
    }

    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        _paySwap(amount0, amount1, data);
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        _payMint(amount0, amount1, data);
    }

    function pancakeV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        _payMint(amount0, amount1, data);
    }

    function uniswapV2Call(address, uint256, uint256, bytes calldata data) external {
        (address token, uint256 owed) = abi.decode(data, (address, uint256));
        IErc20(token).transfer(msg.sender, owed);
    }

    /// Returns what arrived: less than `amount` for a token that taxes transfers.
    function _pull(address token, uint256 amount) private returns (uint256) {
        uint256 before = IErc20(token).balanceOf(address(this));
        IErc20(token).transferFrom(msg.sender, address(this), amount);
        return IErc20(token).balanceOf(address(this)) - before;
    }

    function _swapBranch(Hop[] calldata hops, uint256 amount, address tokenIn, address tokenOut)
        private
        returns (uint256)
    {
        require(hops[0].tokenIn == tokenIn && hops[hops.length - 1].tokenOut == tokenOut, "branch ends differ");
        for (uint256 i; i < hops.length; i++) {
            amount = hops[i].concentrated ? _swapConcentrated(hops[i], amount) : _swapPair(hops[i], amount);
        }
        return amount;
    }

    /// Returns what arrived, which for a token that taxes transfers is less than what the pair sent.
    function _swapPair(Hop calldata hop, uint256 amount) private returns (uint256) {
        IPair pair = IPair(hop.pool);
        IErc20(hop.tokenIn).transfer(hop.pool, amount);
        bool zeroForOne = hop.tokenIn < hop.tokenOut;
        (uint256 reserveIn, uint256 reserveOut) = _reserves(pair, zeroForOne);
        uint256 paid = IErc20(hop.tokenIn).balanceOf(hop.pool) - reserveIn;
        uint256 out = _pairAmountOut(paid, reserveIn, reserveOut);
        uint256 before = IErc20(hop.tokenOut).balanceOf(address(this));
        pair.swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, address(this), "");
        return IErc20(hop.tokenOut).balanceOf(address(this)) - before;
    }

    function _swapConcentrated(Hop calldata hop, uint256 amount) private returns (uint256) {
        bool zeroForOne = hop.tokenIn < hop.tokenOut;
        (int256 amount0, int256 amount1) = IConcentratedPool(hop.pool).swap(
            address(this),
            zeroForOne,
            int256(amount),
            zeroForOne ? MIN_SQRT_RATIO + 1 : MAX_SQRT_RATIO - 1,
            abi.encode(hop.tokenIn)
        );
        return uint256(-(zeroForOne ? amount1 : amount0));
    }

    function _quotePair(Hop calldata hop, uint256 amount) private view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) = _reserves(IPair(hop.pool), hop.tokenIn < hop.tokenOut);
        return _pairAmountOut(amount, reserveIn, reserveOut);
    }

    /// Swaps without data, so that the callback reverts with the amount.
    function _quoteConcentrated(Hop calldata hop, uint256 amount) private returns (uint256) {
        bool zeroForOne = hop.tokenIn < hop.tokenOut;
        uint160 limit = zeroForOne ? MIN_SQRT_RATIO + 1 : MAX_SQRT_RATIO - 1;
        try IConcentratedPool(hop.pool).swap(address(this), zeroForOne, int256(amount), limit, "") {
            revert("swap without callback");
        } catch (bytes memory reason) {
            if (reason.length != 32) {
                assembly {
                    revert(add(reason, 32), mload(reason))
                }
            }
            return abi.decode(reason, (uint256));
        }
    }

    function _paySwap(int256 amount0, int256 amount1, bytes calldata data) private {
        if (data.length == 0) {
            uint256 out = uint256(-(amount0 > 0 ? amount1 : amount0));
            assembly {
                mstore(0, out)
                revert(0, 32)
            }
        }
        IErc20(abi.decode(data, (address))).transfer(msg.sender, uint256(amount0 > 0 ? amount0 : amount1));
    }

    function _payMint(uint256 amount0, uint256 amount1, bytes calldata data) private {
        (address token0, address token1, address payer) = abi.decode(data, (address, address, address));
        if (amount0 > 0) IErc20(token0).transferFrom(payer, msg.sender, amount0);
        if (amount1 > 0) IErc20(token1).transferFrom(payer, msg.sender, amount1);
    }

    function _reserves(IPair pair, bool zeroForOne) private view returns (uint256, uint256) {
        (uint112 reserve0, uint112 reserve1,) = pair.getReserves();
        return zeroForOne ? (uint256(reserve0), uint256(reserve1)) : (uint256(reserve1), uint256(reserve0));
    }

    /// Formula of UniswapV2Library.getAmountOut.
    function _pairAmountOut(uint256 amount, uint256 reserveIn, uint256 reserveOut) private pure returns (uint256) {
        uint256 withFee = amount * 997;
        return (withFee * reserveOut) / (reserveIn * 1000 + withFee);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// Replaces PancakeV3PoolDeployer, which no npm package contains. The factory calls `deploy`, and the pool's
/// constructor reads `parameters`. Takes the pool's creation code at construction.
contract PancakePoolDeployer {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    Parameters public parameters;
    address public factory;
    /// A contract whose code is a zero byte, followed by the pool's creation code.
    address private immutable _store;

    constructor(bytes memory creationCode) {
        // The first eleven bytes return what follows them as the code of the new contract.
        bytes memory init = abi.encodePacked(hex"600b5981380380925939f300", creationCode);
        address store;
        assembly {
            store := create(0, add(init, 32), mload(init))
        }
        require(store != address(0), "creation code not stored");
        _store = store;
    }

    function setFactoryAddress(address factory_) external {
        require(factory == address(0), "already initialized");
        factory = factory_;
    }

    function deploy(address factory_, address token0, address token1, uint24 fee, int24 tickSpacing)
        external
        returns (address pool)
    {
        require(msg.sender == factory, "only factory can call deploy");
        parameters = Parameters(factory_, token0, token1, fee, tickSpacing);
        bytes memory code = new bytes(_store.code.length - 1);
        address store = _store;
        bytes32 salt = keccak256(abi.encode(token0, token1, fee));
        assembly {
            extcodecopy(store, add(code, 32), 1, mload(code))
            pool := create2(0, add(code, 32), mload(code), salt)
        }
        require(pool != address(0), "pool not deployed");
        delete parameters;
    }
}
